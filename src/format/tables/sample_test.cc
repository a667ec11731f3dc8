// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

// A report with these lines as its call graph.
std::string report(std::string_view tree) {
  return "Analysis of sampling app (pid 42) every 1 millisecond\n"
         "Process:         app [42]\n\nCall graph:\n" +
         std::string(tree) +
         "\nTotal number in stack (recursive counted multiple, when >=5):\n";
}

std::string fold_sample(std::string_view tree,
                        const ReadOptions& options = {}) {
  return folded(read_text("sample", report(tree), options));
}

TEST(Sample, GivesEachFunctionWhatItsCalleesLeave) {
  EXPECT_EQ(fold_sample("    10 Thread_1\n"
                        "    + 10 start  (in libdyld.dylib) + 1  [0x7f]\n"
                        "    +   7 main  (in app) + 41  [0x10]\n"
                        "    +   ! 4 work  (in app) + 3  [0x20]\n"
                        "    +   2 exit  (in libsystem_c.dylib) + 9  [0x30]\n"),
            "Thread_1;libdyld`start 1\n"
            "Thread_1;libdyld`start;app`main 3\n"
            "Thread_1;libdyld`start;app`main;app`work 4\n"
            "Thread_1;libdyld`start;libsystem_c`exit 2\n");
}

TEST(Sample, AddsUpCallsFromTwoPlaces) {
  constexpr std::string_view kTree =
      "    10 Thread_1\n"
      "    + 6 main  (in app) + 41  [0x10]\n"
      "    + 4 main  (in app) + 99  [0x20]\n";
  EXPECT_EQ(fold_sample(kTree), "Thread_1;app`main 10\n");
}

TEST(Sample, CountsTheLastOfEqualStacksForInferno) {
  const Profile profile = read_text("sample",
                                    report("    10 Thread_1\n"
                                           "    + 6 f  (in app) + 41  [0x10]\n"
                                           "    + 4 f  (in app) + 9  [0x20]\n"),
                                    {.inferno_counts = true});
  EXPECT_EQ(folded(profile), "Thread_1;app`f 4\n");
  EXPECT_EQ(profile.diagnostics.weight(Problem::kNotCarried), 6);
}

TEST(Sample, LeavesModulesOutOnRequest) {
  EXPECT_EQ(fold_sample("    1 Thread_1\n    + 1 f  (in app) + 1  [0x1]\n",
                        {.no_modules = true}),
            "Thread_1;f 1\n");
}

TEST(Sample, LeavesOutStacksThatWaitAndCountsThem) {
  const Profile profile = read_text(
      "sample", report("    9 Thread_1\n"
                       "    + 5 read  (in libsystem_kernel.dylib) + 10  [0x7]\n"
                       "    + 4 work  (in app) + 1  [0x1]\n"));
  EXPECT_EQ(folded(profile), "Thread_1;app`work 4\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kIdle), 1u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kIdle), 5);
}

TEST(Sample, KeepsFunctionsWhoseNamesOnlyEndLikeAWait) {
  constexpr std::string_view kTree =
      "    9 Thread_1\n"
      "    + 5 my_read  (in app) + 10  [0x7]\n"
      "    + 4 read  (in app) + 1  [0x1]\n";
  EXPECT_EQ(fold_sample(kTree),
            "Thread_1;app`my_read 5\nThread_1;app`read 4\n");
  EXPECT_EQ(fold_sample(kTree, {.compat = Compat::kInferno}), "");
}

TEST(Sample, KeepsAWaitThatCallsSomething) {
  EXPECT_EQ(
      fold_sample("    5 Thread_1\n"
                  "    + 5 read  (in libsystem_kernel.dylib) + 10  [0x7]\n"
                  "    +   3 trap  (in libsystem_kernel.dylib) + 1  [0x1]\n"),
      "Thread_1;libsystem_kernel`read 2\n"
      "Thread_1;libsystem_kernel`read;libsystem_kernel`trap 3\n");
}

TEST(Sample, NamesThreadsWithTheirQueue) {
  EXPECT_EQ(
      fold_sample("    1 Thread_7   DispatchQueue_1: com.apple.main  (serial)\n"
                  "    + 1 f  (in app) + 1  [0x1]\n"
                  "    2 Thread_8: worker\n      2 g  (in app) + 1  [0x1]\n"),
      "Thread_7 DispatchQueue_1: com.apple.main (serial);app`f 1\n"
      "Thread_8: worker;app`g 2\n");
}

TEST(Sample, KnowsProcessAndThread) {
  const Profile profile = read_text(
      "sample", report("    1 Thread_7\n    + 1 f  (in app) + 1  [0x1]\n"));
  EXPECT_EQ(folded(profile, {.root = ThreadRoot::kCommPidTid}),
            "Thread_7-42/7;app`f 1\n");
}

TEST(Sample, KeepsBracketsThatBelongToTheName) {
  EXPECT_EQ(
      fold_sample(
          "    4 Thread_1\n"
          "    + 1 -[NSObject(Cache) find:]  (in Kit (Beta)) + 1  [0x1]\n"
          "    + 1 (anonymous namespace)::f(int)  (in app) + 1  [0x1]\n"
          "    + 1 std::function<void (int)>::call(int)  (in app) + 1  [0x1]\n"
          "    + 1 f;g  (in app) + 1  [0x1]\n"),
      "Thread_1;Kit (Beta)`-[NSObject(Cache) find:] 1\n"
      "Thread_1;app`(anonymous namespace)::f 1\n"
      "Thread_1;app`f:g 1\n"
      "Thread_1;app`std::function<void (int)>::call 1\n");
}

TEST(Sample, DemanglesRustNames) {
  EXPECT_EQ(fold_sample("    1 Thread_1\n"
                        "    + 1 _$LT$a..B$GT$::c::h0123456789abcdef "
                        "(.llvm.123)  (in app) + 1  [0x1]\n"),
            "Thread_1;app`<a::B>::c 1\n");
}

TEST(Sample, KnowsTheSource) {
  const Profile profile = read_text(
      "sample",
      report("    1 Thread_1\n    + 1 f  (in app) + 1  [0x1]  f.c:12\n"));
  EXPECT_EQ(folded(profile, {.detail = NameDetail::kLine}),
            "Thread_1;app`f:f.c:12 1\n");
}

TEST(Sample, CountsWhatIsCutOff) {
  const Profile profile = read_text(
      "sample",
      "Call graph:\n    10 Thread_1\n    + 10 main  (in app) + 41  [0x10]\n"
      "    +   4 f  (in app) + 3  [0x20]\n    +   3 g  (in ap");
  EXPECT_EQ(folded(profile), "Thread_1;app`main;app`f 4\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kTruncated), 6);
}

TEST(Sample, CountsLinesThatAreNoneOfATree) {
  const Profile profile = read_text(
      "sample", report("    1 Thread_1\n    + 1 f  (in app) + 1  [0x1]\nx\n"));
  EXPECT_EQ(folded(profile), "Thread_1;app`f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

TEST(Sample, IsRecognised) {
  EXPECT_EQ(detect(report("    1 Thread_1\n"))->name, "sample");
  EXPECT_EQ(detect("Call graph:\n    1 Thread_1\n    + 1 f  (in a)\n")->name,
            "sample");
}

}  // namespace
}  // namespace wick

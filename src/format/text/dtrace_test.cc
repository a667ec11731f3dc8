// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <vector>

#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

std::string fold_dtrace(std::string_view text,
                        const ReadOptions& options = {}) {
  return folded(read_text("dtrace", text, options));
}

constexpr std::string_view kStack =
    "CPU     ID                    FUNCTION:NAME\n"
    "  0  64091                        :tick-60s \n\n\n"
    "              zfs`zfs_read+0x5b\n"
    "              genunix`fop_read+0x3c\n"
    "              unix`sys_syscall+0x17a\n"
    "                7\n";

TEST(DTrace, DecodesRustNames) {
  EXPECT_EQ(folded(read_text("dtrace",
                             "\n\n  rg`_$LT$F$u20$as$u20$x..Y$GT$::call::"
                             "h0123456789abcdef+0x1\n  rg`main+0x2\n  5\n")),
            "rg`main;rg`<F as x::Y>::call 5\n");
}

TEST(DTrace, PutsTheOutermostFrameFirst) {
  EXPECT_EQ(fold_dtrace(kStack),
            "unix`sys_syscall;genunix`fop_read;zfs`zfs_read 7\n");
}

TEST(DTrace, KeepsOffsetsOfCallersOnRequest) {
  EXPECT_EQ(fold_dtrace(kStack, {.include_offset = true}),
            "unix`sys_syscall+0x17a;genunix`fop_read+0x3c;zfs`zfs_read 7\n");
}

TEST(DTrace, NeedsNoHeader) {
  EXPECT_EQ(fold_dtrace("\n\n  a`f+0x1\n  a`main+0x2\n    3\n"),
            "a`main;a`f 3\n");
  EXPECT_EQ(fold_dtrace("  a`f+0x1\n  a`main+0x2\n    3\n"), "a`main;a`f 3\n");
  EXPECT_EQ(fold_dtrace("a`f+0x1\na`main+0x2\n3\n"), "a`main;a`f 3\n");
}

TEST(DTrace, AddsUpEqualStacks) {
  EXPECT_EQ(fold_dtrace("  a`f+0x1\n   3\n\n  a`f+0x2\n   4\n"), "a`f 7\n");
}

TEST(DTrace, JoinsTheKernelAndTheUserStackOfOneKey) {
  EXPECT_EQ(fold_dtrace("\n  genunix`read+0x1\n\n  libc`read+0x5\n"
                        "  app`main+0x2\n   9\n"),
            "app`main;libc`read;genunix`read 9\n");
}

TEST(DTrace, SkipsTheProbeBetweenTwoPrintedAggregations) {
  EXPECT_EQ(fold_dtrace("CPU ID FUNCTION:NAME\n  0  640  :tick-1s\n\n"
                        "  a`f+0x1\n   1\n"
                        "  3  640                        :tick-1s \n\n"
                        "  a`f+0x1\n   2\n"),
            "a`f 3\n");
}

TEST(DTrace, CountsDrops) {
  const Profile profile =
      read_text("dtrace", "\n  a`f+0x1\n   1\n\ndtrace: 12 drops on CPU 3\n");
  EXPECT_EQ(folded(profile), "a`f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kLostSamples), 12u);
}

TEST(DTrace, SplitsInlinedFunctions) {
  EXPECT_EQ(fold_dtrace("\n  jvm`inner\n  jvm`outer->Linlined+0x2\n   1\n"),
            "jvm`outer;inlined_[i];jvm`inner 1\n");
}

TEST(DTrace, LeavesOperatorArrowWhole) {
  EXPECT_EQ(fold_dtrace("\n  a`std::ptr<T>::operator->()+0x2\n   1\n"),
            "a`std::ptr<T>::operator-> 1\n");
}

TEST(DTrace, CutsTheArgumentsOfCppNames) {
  EXPECT_EQ(fold_dtrace("\n  a`A::f(int, char)+0x2\n   1\n"), "a`A::f 1\n");
  EXPECT_EQ(fold_dtrace("\n  a`A::g<int>+0x2\n   1\n"), "a`A::g 1\n");
  EXPECT_EQ(fold_dtrace("\n  a`f(int, char)+0x2\n   1\n"),
            "a`f(int, char) 1\n");
}

TEST(DTrace, DoesNotCutInsideAnArgumentList) {
  EXPECT_EQ(fold_dtrace("\n  a`A::f(std::vector<int, B<int> >&)+0x2\n   1\n"),
            "a`A::f 1\n");
  EXPECT_EQ(fold_dtrace("\n  a`A::f(B<int>)+0x2\n   1\n",
                        {.compat = Compat::kInferno}),
            "a`A::f(B 1\n");
}

TEST(DTrace, CutsNoPlusThatIsPartOfTheName) {
  EXPECT_EQ(fold_dtrace("\n  a`operator++\n   1\n"), "a`operator++ 1\n");
}

TEST(DTrace, ReplacesTheSeparatorInNames) {
  EXPECT_EQ(fold_dtrace("\n  a`f;g+0x1\n   1\n"), "a`f:g 1\n");
}

TEST(DTrace, NamesAFrameThatIsOnlyAnOffset) {
  EXPECT_EQ(fold_dtrace("\n  +0x12\n  a`main\n   1\n"), "a`main;- 1\n");
}

TEST(DTrace, KeepsWhatComesBeforeAStackThatIsCutOff) {
  const Profile profile =
      read_text("dtrace", "\n  a`f+0x1\n   5\n\n  a`g+0x1\n  a`ma");
  EXPECT_EQ(folded(profile), "a`f 5\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(DTrace, ReportsThatACountIsTooLarge) {
  const Profile profile =
      read_text("dtrace", "\n  a`f\n   99999999999999999999\n\n  a`g\n  1\n");
  EXPECT_EQ(folded(profile), "a`g 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kOverflow), 1u);
}

TEST(DTrace, IsRecognised) {
  EXPECT_EQ(detect(kStack)->name, "dtrace");
  EXPECT_EQ(detect(kStack.substr(0, 60))->name, "dtrace");
  EXPECT_EQ(detect("\n\n  libc`read+0x1\n  app`main+0x2\n    3\n")->name,
            "dtrace");
  EXPECT_EQ(detect("main;read 3\n")->name, "folded");
}

TEST(DTrace, KnowsKernelModules) {
  EXPECT_EQ(folded(read_text("dtrace", kStack), {.annotate_kernel = true}),
            "unix`sys_syscall_[k];genunix`fop_read_[k];zfs`zfs_read 7\n");
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

std::string fold_vtune(std::string_view rows, const ReadOptions& options = {}) {
  return folded(read_text(
      "vtune", "Function Stack,CPU Time:Self,Module\n" + std::string(rows),
      options));
}

TEST(VTune, CountsMilliseconds) {
  EXPECT_EQ(fold_vtune("main,0.25,app\n parse,1.5,app\n  read,0.125,libc\n"
                       " write,2,libc\n"),
            "app`main 250\napp`main;app`parse 1500\n"
            "app`main;app`parse;libc`read 125\napp`main;libc`write 2000\n");
}

TEST(VTune, AddsUpEqualStacks) {
  EXPECT_EQ(fold_vtune("main,0,app\n f,1,app\n f,2,app\n"),
            "app`main;app`f 3000\n");
}

TEST(VTune, ReportsWhatItRounds) {
  const Profile profile =
      read_text("vtune",
                "Function Stack,CPU Time:Self,Module\n"
                "f,0.030580,a\ng,0.0004,a\nh,0.0104,a\ni,0.0103,a\n");
  EXPECT_EQ(folded(profile), "a`f 31\na`g 0\na`h 10\na`i 10\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kRounded), 4u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kRounded), 1);
}

TEST(VTune, LeavesModulesOutOnRequest) {
  EXPECT_EQ(fold_vtune("main,1,app\n", {.no_modules = true}), "main 1000\n");
}

TEST(VTune, UnquotesNames) {
  EXPECT_EQ(fold_vtune("\"f<int, char>\",1,\"my, app\"\n"
                       " \"say \"\"hi\"\"; x\",1,\n"),
            "my, app`f<int, char> 1000\n"
            "my, app`f<int, char>;say \"hi\": x 1000\n");
}

TEST(VTune, FindsColumnsByTheirNames) {
  EXPECT_EQ(
      folded(read_text("vtune",
                       "Function Stack,Module,CPU Time:Total,CPU Time:Self\n"
                       "main,app,3,1\n  f,app,2,2\n")),
      "app`main 1000\napp`main;app`f 2000\n");
}

TEST(VTune, AddsTheFinestPartsOfASplitColumn) {
  EXPECT_EQ(folded(read_text(
                "vtune",
                "Function Stack,CPU Time:Self:Effective Time,CPU Time:Self:"
                "Effective Time:Idle,CPU Time:Self:Effective Time:Ok,CPU "
                "Time:Self:Spin Time,Module\nmain,3,1,2,4,app\n")),
            "app`main 7000\n");
}

TEST(VTune, ReadsOtherCountersToo) {
  EXPECT_EQ(folded(read_text("vtune",
                             "Function Stack,Clockticks:Self,Module\n"
                             "main,12000,app\n")),
            "app`main 12000\n");
}

TEST(VTune, ReadsOtherSeparators) {
  EXPECT_EQ(folded(read_text("vtune",
                             "Function Stack\tCPU Time:Self\tModule\n"
                             "main\t1\tapp\n")),
            "app`main 1000\n");
}

TEST(VTune, CountsRowsWithoutANumber) {
  const Profile profile = read_text(
      "vtune", "Function Stack,CPU Time:Self,Module\na,x,m\nb\nc,1,m\n");
  EXPECT_EQ(folded(profile), "m`c 1000\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 2u);
}

TEST(VTune, NeedsItsHeader) {
  EXPECT_THROW(read_text("vtune", "a,b,c\n1,2,3\n"), Error);
  EXPECT_THROW(read_text("vtune", "Function Stack,Module\n"), Error);
}

TEST(VTune, IsRecognised) {
  EXPECT_EQ(detect("Function Stack,CPU Time:Self,Module\n")->name, "vtune");
  EXPECT_EQ(detect("war: x\n\"Function Stack\",\"CPU Time:Self\"\n")->name,
            "vtune");
  EXPECT_EQ(
      detect("Function Stack,Allocations:Self,Allocation Size:Self,Module\n")
          ->name,
      "vtune-mc");
}

constexpr std::string_view kMemory =
    "war: a warning\n"
    "Function Stack,Allocation Size:Self,Deallocation Size:Self,"
    "Allocations:Self,Module\n"
    "main,,,,app\n f,4096,1024,2,app\n f,4096,,3,app\n";

TEST(VTuneMemory, CountsAllocationsFirst) {
  EXPECT_EQ(folded(select(read_text("vtune-mc", kMemory), {})),
            "main(app);f(app) 5\n");
}

TEST(VTuneMemory, CountsBytesFirstIfAskedForSizes) {
  EXPECT_EQ(folded(select(
                read_text("vtune-mc", kMemory, {.allocation_size = true}), {})),
            "main(app);f(app) 8192\n");
}

TEST(VTuneMemory, HasBytesAsAnotherEvent) {
  EXPECT_EQ(
      folded(select(read_text("vtune-mc", kMemory), {.event = "allocated"})),
      "main(app);f(app) 8192\n");
  EXPECT_EQ(
      folded(select(read_text("vtune-mc", kMemory), {.event = "deallocated"})),
      "main(app);f(app) 1024\n");
}

}  // namespace
}  // namespace wick

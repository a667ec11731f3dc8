// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Bpftrace, TurnsTheStackOfAMapRound) {
  EXPECT_EQ(
      folded(read_text("bpftrace", "@[\n    leaf+12\n    root+3\n]: 7\n")),
      "root;leaf 7\n");
}

TEST(Bpftrace, ReadsFramesThatAreNotIndented) {
  EXPECT_EQ(folded(read_text("bpftrace", "@[\nleaf+12\nroot+3\n]: 7\n")),
            "root;leaf 7\n");
}

TEST(Bpftrace, KeepsOffsetsIfAsked) {
  EXPECT_EQ(
      folded(read_text("bpftrace", "@[\n    leaf+12\n    root+0x3\n]: 7\n",
                       {.include_offset = true})),
      "root+0x3;leaf+12 7\n");
}

TEST(Bpftrace, KeepsOffsetsAndAddressesLikePerl) {
  EXPECT_EQ(folded(read_text("bpftrace", "@[\n    leaf+12\n    0x7f\n]: 7\n",
                             {.compat = Compat::kPerl})),
            "0x7f;leaf+12 7\n");
}

TEST(Bpftrace, PutsTheNameOfTheThreadAtTheRoot) {
  const Profile profile = read_text("bpftrace", "@[\n    f+1\n, my prog]: 3\n");
  EXPECT_EQ(folded(profile), "my prog;f 3\n");
  EXPECT_EQ(folded(profile, {.root = ThreadRoot::kNone}), "f 3\n");
}

TEST(Bpftrace, PutsNumbersAmongTheKeysAtTheRoot) {
  EXPECT_EQ(folded(read_text("bpftrace", "@[21, \n    f+1\n, sh, 4]: 3\n")),
            "sh;21;4;f 3\n");
}

TEST(Bpftrace, PutsTheKernelInsideTheProgram) {
  EXPECT_EQ(folded(read_text("bpftrace",
                             "@[\n    k1+1\n    entry_SYSCALL_64_x+1\n, \n"
                             "    u1+1\n    main+2\n, sh]: 2\n")),
            "sh;main;u1;entry_SYSCALL_64_x;k1 2\n");
}

TEST(Bpftrace, SeesThatTheSecondStackIsTheKernels) {
  EXPECT_EQ(folded(read_text("bpftrace",
                             "@[\n    u1+1\n    main+2\n, \n"
                             "    k1+1\n    entry_SYSCALL_64_x+1\n]: 2\n"),
                   {.annotate_kernel = true}),
            "main;u1;entry_SYSCALL_64_x_[k];k1_[k] 2\n");
}

TEST(Bpftrace, ReadsEmptyStacks) {
  const Profile profile =
      read_text("bpftrace", "@[, \n    f\n, a]: 1\n@[, , a]: 2\n@cpu[]: 4\n");
  EXPECT_EQ(
      folded(select(
          read_text("bpftrace", "@[, \n    f\n, a]: 1\n@[, , a]: 2\n"), {})),
      "a 2\na;f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 2u);
  EXPECT_EQ(whole_weight(profile), 7);
}

TEST(Bpftrace, MakesAnEventOfEachMap) {
  const std::string text = "@a[\n    f\n]: 1\n@b[\n    f\n]: 10\n";
  EXPECT_EQ(folded(select(read_text("bpftrace", text), {})), "f 1\n");
  EXPECT_EQ(folded(select(read_text("bpftrace", text), {.event = "@b"})),
            "f 10\n");
}

TEST(Bpftrace, ShowsMapsWithoutStacksLast) {
  const std::string text = "@start[12]: 999\n@[\n    f\n]: 1\n";
  EXPECT_EQ(folded(select(read_text("bpftrace", text), {})), "f 1\n");
  EXPECT_EQ(folded(select(read_text("bpftrace", text), {.event = "@start"})),
            "12 999\n");
}

TEST(Bpftrace, AddsUpHistogramsAndTakesTotals) {
  EXPECT_EQ(folded(read_text("bpftrace",
                             "@[\n    f\n]: \n[1, 2)    3 |@@  |\n"
                             "[2, 4)    4 |@@@@|\n\n"
                             "@[\n    g\n]: count 2, average 5, total 10\n")),
            "f 7\ng 10\n");
}

TEST(Bpftrace, ReadsTheLayoutOfPerf) {
  const Profile profile = read_text(
      "bpftrace",
      "@[\n\t55f1 shop::Cart<double>::add(double const&)+21 (/bin/shop)\n"
      "\t2783 0x2783 ([unknown])\n]: 5\n");
  EXPECT_EQ(folded(profile), "[unknown];shop::Cart<double>::add 5\n");
  EXPECT_EQ(folded(profile, {.detail = NameDetail::kModule}),
            "[unknown];shop 5\n");
}

TEST(Bpftrace, NotesAnEntryThatIsCutOff) {
  const Profile profile = read_text("bpftrace", "@[\n    f\n]: 1\n@[\n    g\n");
  EXPECT_EQ(folded(profile), "f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(Bpftrace, CountsLinesThatAreNoMap) {
  const Profile profile =
      read_text("bpftrace", "Attaching 1 probe...\nhello\n@[\n    f\n]: x\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 2u);
}

}  // namespace
}  // namespace wick

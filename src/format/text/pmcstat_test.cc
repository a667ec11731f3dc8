// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Pmcstat, TurnsTheTreeOfCallersRound) {
  EXPECT_EQ(folded(read_text("pmcstat",
                             "@ CYCLES [3 samples]\n\n"
                             "100.0%  [3]       leaf @ /bin/x\n"
                             " 66.67%  [2]        a\n"
                             "  100.0%  [2]         main\n"
                             " 33.33%  [1]        b\n")),
            "b;leaf 1\nmain;a;leaf 2\n");
}

// The peer prints a stack only where the tree ends and loses the rest.
TEST(Pmcstat, KeepsSamplesWhoseCallersAreNotListed) {
  EXPECT_EQ(folded(read_text("pmcstat",
                             "100.0%  [17]       leaf @ /bin/x\n"
                             " 70.59%  [12]        a\n"
                             "  16.67%  [2]          b\n")),
            "a;leaf 10\nb;a;leaf 2\nleaf 5\n");
}

TEST(Pmcstat, MakesAnEventOfEachHeader) {
  const std::string text =
      "@ CYCLES [2 samples]\n100.0%  [2] f @ /bin/x\n"
      "@ MISSES [5 samples]\n100.0%  [5] f @ /bin/x\n";
  EXPECT_EQ(folded(select(read_text("pmcstat", text), {})), "f 2\n");
  EXPECT_EQ(folded(select(read_text("pmcstat", text), {.event = "MISSES"})),
            "f 5\n");
}

TEST(Pmcstat, InheritsTheModule) {
  EXPECT_EQ(folded(read_text("pmcstat",
                             "100.0%  [1]  f @ /boot/kernel/kernel\n"
                             " 100.0%  [1]  g\n"
                             "  100.0%  [1]  main @ /bin/x\n"),
                   {.annotate_kernel = true}),
            "main;g_[k];f_[k] 1\n");
}

TEST(Pmcstat, CountsLinesThatAreNoNode) {
  const Profile profile =
      read_text("pmcstat", "100.0%  [1]  f @ /bin/x\nrubbish\n50%  [x] g\n");
  EXPECT_EQ(folded(profile), "f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 2u);
}

}  // namespace
}  // namespace wick

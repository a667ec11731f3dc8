// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Folded, GivesBackTheSameStacks) {
  EXPECT_EQ(folded(read_text("folded", "main;parse 3\nmain;read 4\n")),
            "main;parse 3\nmain;read 4\n");
}

TEST(Folded, AddsUpEqualStacks) {
  EXPECT_EQ(folded(read_text("folded", "a;b 1\na;b 2\n")), "a;b 3\n");
}

TEST(Folded, KeepsDecimals) {
  EXPECT_EQ(folded(read_text("folded", "a 0.5\nb 1\na 1.25\n")),
            "a 1.75\nb 1\n");
}

TEST(Folded, WritesStacksOfWeightZero) {
  EXPECT_EQ(folded(read_text("folded", "a;b 0\na;c 1\n")), "a;b 0\na;c 1\n");
}

TEST(Folded, SkipsComments) {
  const Profile profile = read_text("folded", "# made by x\na 1\n");
  EXPECT_EQ(folded(profile), "a 1\n");
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Folded, CountsLinesWithoutANumber) {
  const Profile profile = read_text("folded", "a 1\nno number here\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Wcp, ReadsOnlyTheFullStacks) {
  EXPECT_EQ(folded(read_text(
                "wcp",
                "Functions with more than one sample:\n\n"
                " 80.000% ===================================== (8 samples)\n"
                "         main\n\n\n"
                "Full stacks with at least one sample:\n\n"
                " 80.000% ===================================== (8 samples)\n"
                "         1: shop::price   (at shop.cpp:12)\n"
                "            12:|   t += 3;\n"
                "         2: main   (at shop.cpp:41)\n\n\n"
                " 20.000% ===================================== (2 samples)\n"
                "         1: read   (at :-1)\n"
                "         2: main   (at shop.cpp:40)\n")),
            "main;read 2\nmain;shop::price 8\n");
}

TEST(Wcp, KeepsFilesAndLines) {
  EXPECT_EQ(folded(read_text("wcp",
                             "Full stacks\n 20.0% ========= (2 samples)\n"
                             "         1: f   (at /a/shop.cpp:12)\n"),
                   {.detail = NameDetail::kLine}),
            "f:shop.cpp:12 2\n");
}

TEST(Wcp, NotesThatTheFullStacksAreMissing) {
  const Profile profile = read_text("wcp", "Report:\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(Wcp, CountsLinesThatCannotBeRead) {
  const Profile profile = read_text(
      "wcp",
      "Full stacks\n 20.0% ========= (2 samples)\n  1: f\n  2: g (at a:1)\n");
  EXPECT_EQ(folded(profile), "g 2\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

}  // namespace
}  // namespace wick

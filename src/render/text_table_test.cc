// SPDX-License-Identifier: Apache-2.0
#include "render/text_table.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Printable, LetsNothingThroughThatMovesTheCursor) {
  EXPECT_EQ(printable(std::string_view("a\0b\n\r\t\x1b[31mc\x7f", 13)),
            "a?b???"
            "?[31mc?");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "?31m");  // CSI as one character
}

TEST(Printable, KeepsTheDirectionOfWriting) {
  EXPECT_EQ(printable("a\u202eb\u2066c\u200fd"), "a?b?c?d");
}

TEST(Printable, ReplacesInvalidBytes) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\ufffd"
            "b");
}

TEST(Printable, CutsByColumns) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdefg", 6), "abcde…");
  EXPECT_EQ(printable("日本語", 6), "日本語");
  EXPECT_EQ(printable("日本語!", 6), "日本…");
}

TEST(Printable, CutsATowerOfMarks) {
  std::string tower = "a";
  for (int i = 0; i < 100'000; ++i) tower += "\u0301";
  EXPECT_LT(printable(tower, 20).size(), 200u);
}

TEST(DisplayWidth, KnowsWideAndCombiningCharacters) {
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("日本"), 4);
  EXPECT_EQ(display_width("e\u0301"), 1);
  EXPECT_EQ(display_width("ünï"), 3);
}

TEST(TextTable, AlignsByWhatIsSeen) {
  TextTable table({{"n"},
                   {"name", TextTable::Align::kLeft},
                   {"x", TextTable::Align::kLeft}});
  table.add({"1", "日本", "a"});
  table.add({"1,000", "ünïcode", ""});
  EXPECT_EQ(table.text(),
            "      n  name     x\n"
            "      1  日本     a\n"
            "  1,000  ünïcode\n");
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "format/name_table.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace wick {
namespace {

std::vector<std::string> taken(std::string_view text) {
  NameTable table;
  std::vector<std::string> names;
  while (!text.empty()) names.emplace_back(table[table.take(text)]);
  return names;
}

TEST(NameTable, TakesNamesUpToTheSemicolon) {
  EXPECT_EQ(taken("main;parse_expression;x"),
            (std::vector<std::string>{"main", "parse_expression", "x"}));
}

TEST(NameTable, GivesEqualNamesOneNumber) {
  NameTable table;
  std::string_view text = "a;b;a";
  EXPECT_EQ(table.take(text), 0u);
  EXPECT_EQ(table.take(text), 1u);
  EXPECT_EQ(table.take(text), 0u);
}

TEST(NameTable, TellsPaddingFromZeros) {
  NameTable table;
  std::string_view text("ab;ab\0;ab\0\0", 11);
  EXPECT_EQ(table.take(text), 0u);
  EXPECT_EQ(table.take(text), 1u);
  EXPECT_EQ(table.take(text), 2u);
  EXPECT_EQ(table[2].size(), 4u);
}

TEST(NameTable, TakesEmptyNames) {
  EXPECT_EQ(taken(";;a"), (std::vector<std::string>{"", "", "a"}));
}

// A model check against std::string at every length around the word size.
TEST(NameTable, AgreesWithStringsOfEveryLength) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> names(1 + random() % 6);
    std::string text;
    for (std::string& name : names) {
      name.resize(1 + random() % 40);
      for (char& c : name) c = static_cast<char>('<' + random() % 190);
      text += (text.empty() ? "" : ";") + name;
    }
    EXPECT_EQ(taken(text), names) << "round " << round;
  }
}

}  // namespace
}  // namespace wick

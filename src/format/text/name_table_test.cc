// SPDX-License-Identifier: Apache-2.0
#include "format/text/name_table.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace wick {
namespace {

std::vector<std::string> taken(std::string_view text) {
  NameTable table;
  std::vector<NameTable::Found> found;
  table.split(text, found);
  std::vector<std::string> names;
  for (const NameTable::Found& name : found) {
    names.emplace_back(table[name.name]);
    EXPECT_TRUE(text.substr(0, name.end).ends_with(names.back()));
  }
  return names;
}

std::vector<std::uint32_t> numbers(std::string_view text) {
  NameTable table;
  std::vector<NameTable::Found> found;
  table.split(text, found);
  std::vector<std::uint32_t> numbers;
  for (const NameTable::Found& name : found) numbers.push_back(name.name);
  return numbers;
}

TEST(NameTable, SplitsAtSemicolons) {
  EXPECT_EQ(taken("main;parse_expression;x"),
            (std::vector<std::string>{"main", "parse_expression", "x"}));
}

TEST(NameTable, GivesEqualNamesOneNumber) {
  EXPECT_EQ(numbers("a;b;a"), (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(NameTable, TellsZerosFromNothing) {
  EXPECT_EQ(numbers(std::string_view("ab;ab\0;ab\0\0", 11)),
            (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(NameTable, TakesEmptyNames) {
  EXPECT_EQ(taken(";;a;"), (std::vector<std::string>{"", "", "a", ""}));
}

// A model check against std::string at every length around the word size.
TEST(NameTable, AgreesWithStringsOfEveryLength) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> names(1 + random() % 6);
    std::string text;
    for (std::string& name : names) {
      name.resize(random() % 90);
      for (char& c : name) c = static_cast<char>('<' + random() % 190);
      text += name + ";";
    }
    text.pop_back();
    EXPECT_EQ(taken(text), names) << "round " << round;
  }
}

}  // namespace
}  // namespace wick

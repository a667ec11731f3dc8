// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/line_trace.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace wick {
namespace {

TEST(LineCursor, ReadsDecimalNumbersOfEveryLength) {
  std::string digits;
  std::uint64_t expected = 0;
  for (int length = 1; length <= 19; ++length) {
    digits += static_cast<char>('0' + length % 10);
    expected = expected * 10 + static_cast<std::uint64_t>(length % 10);
    for (const char* behind : {"", " I0: 00000000", ":9"}) {
      const std::string text = digits + behind;
      LineCursor cursor(text);
      std::uint64_t value = 0;
      ASSERT_TRUE(cursor.decimal(value));
      EXPECT_EQ(value, expected);
      EXPECT_EQ(cursor.rest(), behind);
    }
  }
}

TEST(LineCursor, RefusesNumbersThatDoNotFit) {
  std::uint64_t value = 7;
  EXPECT_FALSE(LineCursor("99999999999999999999").decimal(value));
  EXPECT_FALSE(LineCursor("10000000000000000").hex(value));
  EXPECT_FALSE(LineCursor("x").decimal(value));
  EXPECT_FALSE(LineCursor("").hex(value));
  EXPECT_EQ(value, 7u);
}

TEST(LineCursor, ExtendsTheSignOfAPcByItsDigits) {
  const auto pc_of = [](std::string_view digits) {
    std::uint64_t pc = 0;
    return LineCursor(digits).wire_pc(pc) ? fmt::format("{:x}", pc) : "none";
  };
  EXPECT_EQ(pc_of("ff80002000"), "ffffffff80002000");       // Sv39
  EXPECT_EQ(pc_of("1ffff80002000"), "ffffffff80002000");    // Sv48
  EXPECT_EQ(pc_of("3ffffff80002000"), "ffffffff80002000");  // Sv57
  EXPECT_EQ(pc_of("0080002000"), "80002000");
  EXPECT_EQ(pc_of("80002000"), "80002000");
  EXPECT_EQ(pc_of("ffffffff80002000"), "ffffffff80002000");
  EXPECT_EQ(pc_of("]"), "none");
}

TEST(LineCursor, ReadsSixteenHexadecimalDigits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t expected = random();
    for (const std::string& text :
         {fmt::format("{:016x}", expected), fmt::format("{:016X}", expected)}) {
      std::uint64_t value = 0;
      ASSERT_TRUE(LineCursor(text).hex16(value));
      EXPECT_EQ(value, expected);
    }
  }
}

TEST(LineCursor, RefusesCharactersThatAreNotHexadecimalDigits) {
  for (int c = 0; c < 256; ++c)
    for (const std::size_t at : {0, 7, 8, 15}) {
      std::string text(16, '0');
      text[at] = static_cast<char>(c);
      std::uint64_t value = 0;
      EXPECT_EQ(LineCursor(text).hex16(value),
                is_hex_digit(static_cast<char>(c)));
    }
}

}  // namespace
}  // namespace wick

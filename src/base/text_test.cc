// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Text, TakesLinesWithEitherEnd) {
  std::string_view text = "a\r\nb\nc";
  EXPECT_EQ(take_line(text), "a");
  EXPECT_EQ(take_line(text), "b");
  EXPECT_EQ(take_line(text), "c");
  EXPECT_TRUE(text.empty());
}

TEST(Text, TakesWordsBetweenBlanks) {
  std::string_view text = "  one\ttwo ";
  EXPECT_EQ(take_word(text), "one");
  EXPECT_EQ(take_word(text), "two");
  EXPECT_EQ(take_word(text), "");
}

TEST(Text, ReadsWholeNumbersOnly) {
  EXPECT_EQ(to_number<int>("12"), 12);
  EXPECT_EQ(to_number<std::uint64_t>("ff", 16), 255u);
  EXPECT_FALSE(to_number<int>("12x"));
  EXPECT_FALSE(to_number<int>(""));
  EXPECT_FALSE(to_number<std::int8_t>("300"));
}

TEST(Text, TakesTheNumberInFront) {
  std::string_view text = "12ab";
  EXPECT_EQ(take_number<int>(text), 12);
  EXPECT_EQ(text, "ab");
  EXPECT_EQ(take_number<int>(text, 16), 0xab);
  EXPECT_EQ(take_number<int>(text), std::nullopt);
}

TEST(Text, ConvertsBytesToHexadecimalAndBack) {
  EXPECT_EQ(to_hexadecimal("\x0a\xff"), "0aff");
  EXPECT_EQ(from_hexadecimal("0aFF"), "\x0a\xff");
  EXPECT_EQ(from_hexadecimal("0a1"), "");
  EXPECT_EQ(from_hexadecimal("0x"), "");
}

TEST(Text, FindsTheNameInAPath) {
  EXPECT_EQ(base_name("/usr/lib/libc.so"), "libc.so");
  EXPECT_EQ(base_name("libc.so"), "libc.so");
  EXPECT_EQ(base_name("folder/"), "");
}

TEST(Text, DropsAByteOrderMarkInFront) {
  EXPECT_EQ(without_byte_order_mark("\xef\xbb\xbfx"), "x");
  EXPECT_EQ(without_byte_order_mark("x\xef\xbb\xbf"), "x\xef\xbb\xbf");
}

TEST(Decimal, KeepsEveryDigit) {
  EXPECT_EQ(to_decimal("3.25"), (Decimal{325, 2}));
  EXPECT_EQ(to_decimal("-0.5"), (Decimal{-5, 1}));
  EXPECT_EQ(to_decimal("7"), (Decimal{7, 0}));
}

TEST(Decimal, DropsZerosAtTheEnd) {
  EXPECT_EQ(to_decimal("2.500"), (Decimal{25, 1}));
  EXPECT_EQ(to_decimal("4.0"), (Decimal{4, 0}));
}

TEST(Decimal, RoundsWhatDoesNotFit) {
  EXPECT_EQ(to_decimal("0.1234567891"), (Decimal{123456789, 9}));
  EXPECT_EQ(to_decimal("0.1234567896"), (Decimal{123456790, 9}));
}

TEST(Decimal, StaysAtTheLargestNumber) {
  EXPECT_EQ(to_decimal("99999999999999999999")->value, INT64_MAX);
}

TEST(Decimal, IsNotMadeOfOtherThings) {
  for (const char* text : {"", ".", ".5", "1.2.3", "1e5", "0x1", "--1"})
    EXPECT_FALSE(to_decimal(text)) << text;
}

TEST(Decimal, IsPrintedWithoutZerosAtTheEnd) {
  EXPECT_EQ(format_decimal(1250, 3), "1.25");
  EXPECT_EQ(format_decimal(-5, 1), "-0.5");
  EXPECT_EQ(format_decimal(3000, 3), "3");
  EXPECT_EQ(format_decimal(INT64_MIN, 0), "-9223372036854775808");
}

TEST(Text, PutsCommasBetweenThousands) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(with_commas(-1234), "-1,234");
}

TEST(Text, CountsOneThingInTheSingular) {
  EXPECT_EQ(counted(0, "sample"), "0 samples");
  EXPECT_EQ(counted(1, "sample"), "1 sample");
  EXPECT_EQ(counted(1234, "sample"), "1,234 samples");
}

TEST(Utf8, ReplacesWhatIsNotValid) {
  EXPECT_EQ(valid_utf8("\xc3\xbc"), "ü");
  EXPECT_EQ(valid_utf8("a\xffz"), "a\xef\xbf\xbdz");
  EXPECT_EQ(valid_utf8("\xc3"), "\xef\xbf\xbd");
  // An overlong slash, a surrogate, and a number past the last character.
  EXPECT_EQ(valid_utf8("\xc0\xaf"), "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(valid_utf8("\xed\xa0\x80").find('\xed'), std::string::npos);
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80").find('\xf4'), std::string::npos);
}

TEST(Xml, EscapesMarkupAndQuotes) {
  EXPECT_EQ(xml_escaped("<a href=\"x\">&'"),
            "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
}

TEST(Xml, ReplacesCharactersThatXmlCannotHold) {
  EXPECT_EQ(xml_escaped(std::string_view("a\0b", 3)),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(xml_escaped("\x1b[1m"), "\xef\xbf\xbd[1m");
}

TEST(Excerpt, CutsAndHidesControlCharacters) {
  EXPECT_EQ(excerpt("a\tb\x1b", 10), "a?b?");
  EXPECT_EQ(excerpt("abcdef", 3), "abc…");
}

TEST(Text, SizesAreShort) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(1200), "1.2 kB");
  EXPECT_EQ(size_text(35'400'000), "35 MB");
  EXPECT_EQ(size_text(999'600), "1.0 MB");
  EXPECT_EQ(size_text(5'000'000'000'000), "5000 GB");
}

}  // namespace
}  // namespace wick

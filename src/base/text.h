// SPDX-License-Identifier: Apache-2.0
// Text functions that many files need. Text comes from untrusted files: it may
// contain NUL and invalid UTF-8.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wick {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool is_space(char c) {
  return is_blank(c) || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

std::string_view trim(std::string_view text);
std::string_view trim_left(std::string_view text);
std::string_view trim_right(std::string_view text);
bool all_digits(std::string_view text);  // false for ""
bool all_hex_digits(std::string_view text);

// "512 B", "1.2 kB", "35 MB".
std::string size_text(std::uint64_t bytes);

// "0a1f" for two bytes, and back: "" unless `text` is pairs of hex digits.
std::string to_hexadecimal(std::string_view bytes);
std::string from_hexadecimal(std::string_view text);

// What follows the last '/' of `path`; all of it if there is none.
std::string_view base_name(std::string_view path);

// UTF-8 files from Windows often begin with this mark.
std::string_view without_byte_order_mark(std::string_view text);

// Takes the next line, without its "\n" or "\r\n", from the front of `text`.
std::string_view take_line(std::string_view& text);

// Takes everything before `separator` (or all of `text`) from the front, and
// drops the separator.
std::string_view take_until(std::string_view& text, char separator);

// Takes the next word (leading blanks skipped) from the front of `text`.
std::string_view take_word(std::string_view& text);

// All of `text` as a number, or nothing.
template <std::integral T>
std::optional<T> to_number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}
std::optional<double> to_double(std::string_view text);

// Takes the longest number that `text` begins with, or nothing.
template <std::integral T>
std::optional<T> take_number(std::string_view& text, int base = 10) {
  T value{};
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// A decimal number kept exactly: value × 10^-decimals.
struct Decimal {
  std::int64_t value = 0;
  int decimals = 0;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};
inline constexpr int kMaxDecimals = 9;  // further digits are rounded away
// All of `text` ("12", "-0.5", "3.25"), or nothing. Saturates.
std::optional<Decimal> to_decimal(std::string_view text);
// 10^n, n at most 18.
std::int64_t power_of_ten(int n);
// value × 10^-decimals without trailing zeros: (1250, 3) is "1.25".
std::string format_decimal(std::int64_t value, int decimals);
// "1,234,567".
std::string with_commas(std::int64_t value);
// The same for people; for scripts (`raw`) "1234567".
std::string number_text(std::int64_t value, bool raw);
// "1 sample", "1,234 samples".
std::string counted(std::size_t count, std::string_view thing);

// Takes one character from the front of `text`, which must not be empty; a byte
// that is not part of valid UTF-8 yields U+FFFD.
char32_t take_utf8(std::string_view& text);
void append_utf8(std::string& out, char32_t c);
// Replaces every invalid byte of `text` by U+FFFD.
std::string valid_utf8(std::string_view text);

// For text and attribute values of XML: escapes `& < > " '` and replaces
// characters that XML 1.0 does not allow by U+FFFD.
std::string xml_escaped(std::string_view text);

// At most `size` bytes of `text`, for messages: control characters become '?',
// and "…" marks a cut.
std::string excerpt(std::string_view text, std::size_t size = 60);

}  // namespace wick

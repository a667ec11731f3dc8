// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace wick {

std::string_view trim_left(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view trim_right(std::string_view text) {
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view trim(std::string_view text) {
  return trim_left(trim_right(text));
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

bool all_hex_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_hex_digit);
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return taken;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double size = static_cast<double>(bytes);
  for (const char* unit : {"kB", "MB", "GB"}) {
    size /= 1000;
    if (size < 999.5 || unit[0] == 'G')
      return fmt::format("{:.{}f} {}", size, size < 9.95 ? 1 : 0, unit);
  }
  return "";
}

std::string to_hexadecimal(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    result += kDigits[byte >> 4];
    result += kDigits[byte & 15];
  }
  return result;
}

std::string from_hexadecimal(std::string_view text) {
  if (text.size() % 2 != 0) return {};
  std::string bytes;
  for (; !text.empty(); text.remove_prefix(2)) {
    const auto byte = to_number<std::uint8_t>(text.substr(0, 2), 16);
    if (!byte) return {};
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

std::string_view take_line(std::string_view& text) {
  std::string_view line = take_until(text, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view take_word(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  std::size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::optional<double> to_double(std::string_view text) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

std::int64_t power_of_ten(int n) {
  std::int64_t power = 1;
  while (n-- > 0) power *= 10;
  return power;
}

std::optional<Decimal> to_decimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string_view fraction = point == text.npos ? "" : text.substr(point + 1);
  if (!all_digits(whole) || (!fraction.empty() && !all_digits(fraction)))
    return {};
  const bool round_up =
      fraction.size() > kMaxDecimals && fraction[kMaxDecimals] >= '5';
  fraction = fraction.substr(0, kMaxDecimals);
  while (!round_up && fraction.ends_with('0')) fraction.remove_suffix(1);
  std::int64_t value = 0;
  for (const std::string_view digits : {whole, fraction})
    for (const char digit : digits)
      value = saturating_add(saturating_mul(value, 10), digit - '0');
  if (round_up) value = saturating_add(value, 1);
  return Decimal{negative ? -value : value, static_cast<int>(fraction.size())};
}

std::string format_decimal(std::int64_t value, int decimals) {
  if (decimals == 0) return fmt::format_int(value).str();
  const std::uint64_t size =
      value < 0 ? -static_cast<std::uint64_t>(value) : value;
  const auto scale = static_cast<std::uint64_t>(power_of_ten(decimals));
  std::string out = fmt::format("{}{}.{:0{}}", value < 0 ? "-" : "",
                                size / scale, size % scale, decimals);
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out;
}

std::string with_commas(std::int64_t value) {
  std::string out = fmt::format_int(value).str();
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = out.size(); at > first + 3;) {
    at -= 3;
    out.insert(at, 1, ',');
  }
  return out;
}

std::string number_text(std::int64_t value, bool raw) {
  return raw ? std::to_string(value) : with_commas(value);
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", with_commas(static_cast<std::int64_t>(count)),
                     thing, count == 1 ? "" : "s");
}

char32_t take_utf8(std::string_view& text) {
  constexpr char32_t kBad = 0xfffd;
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    text.remove_prefix(1);
    return first;
  }
  const int length = first >= 0xf0 && first < 0xf5   ? 4
                     : first >= 0xe0 && first < 0xf0 ? 3
                     : first >= 0xc2 && first < 0xe0 ? 2
                                                     : 0;
  char32_t c = length == 4   ? first & 0x07
               : length == 3 ? first & 0x0f
                             : first & 0x1f;
  bool good = length > 0 && text.size() >= static_cast<std::size_t>(length);
  for (int i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xc0) == 0x80;
    c = (c << 6) | (byte(i) & 0x3f);
  }
  const bool overlong =
      (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
  const bool surrogate = c >= 0xd800 && c < 0xe000;
  good = good && !overlong && !surrogate && c <= 0x10ffff;
  text.remove_prefix(good ? length : 1);
  return good ? c : kBad;
}

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const unsigned char c = text.front();
    if (c < 0x80) {
      out += text.front();
      text.remove_prefix(1);
    } else {
      append_utf8(out, take_utf8(text));
    }
  }
  return out;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const char32_t c = take_utf8(text);
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f || c == 0xfffe ||
            c == 0xffff)
          out += "\xef\xbf\xbd";
        else
          append_utf8(out, c);
    }
  }
  return out;
}

std::string excerpt(std::string_view text, std::size_t size) {
  std::string out;
  while (!text.empty()) {
    if (out.size() >= size) return out + "…";
    const char32_t c = take_utf8(text);
    if (c < 0x20 || c == 0x7f)
      out += '?';
    else
      append_utf8(out, c);
  }
  return out;
}

}  // namespace wick

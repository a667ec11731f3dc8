// SPDX-License-Identifier: Apache-2.0
#include "render/svg_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace wick {
std::string checked_color(const std::string& color) {
  const bool good = std::ranges::all_of(color, [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("#(),.% -").find(c) != std::string_view::npos;
  });
  if (!good) fail_usage("'{}' is not a colour", excerpt(color));
  return color;
}

std::string font_family(const std::string& font) {
  for (const std::string_view generic :
       {"monospace", "serif", "sans-serif", "cursive", "fantasy", "system-ui"})
    if (font == generic) return font;
  std::string name;
  for (const char c : valid_utf8(font))
    if (static_cast<unsigned char>(c) >= ' ' &&
        std::string_view("\"'\\<>&;{}").find(c) == std::string_view::npos)
      name += c;
  return fmt::format("\"{}\"", name);
}

std::string comment_text(std::string_view text) {
  std::string out;
  for (const char c : xml_escaped(text)) {
    if (c == '-' && out.ends_with('-')) out += ' ';
    out += c;
  }
  return out;
}

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) take_utf8(text);
  return count;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "render/svg_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace wick {
namespace {

// The first or last `count` characters of `name`.
std::string_view first_characters(std::string_view name, std::size_t count) {
  std::string_view rest = name;
  while (count-- > 0 && !rest.empty()) take_utf8(rest);
  return name.substr(0, name.size() - rest.size());
}

std::string_view last_characters(std::string_view name, std::size_t count,
                                 std::size_t length) {
  std::string_view rest = name;
  for (; length > count && !rest.empty(); --length) take_utf8(rest);
  return rest;
}

// What follows the last qualifier of a name; all of a plain name.
std::string_view last_part(std::string_view name) {
  const std::size_t colons = name.rfind("::"), slash = name.rfind('/');
  std::size_t start = 0;
  if (colons != name.npos) start = colons + 2;
  if (slash != name.npos) start = std::max(start, slash + 1);
  return name.substr(start);
}

}  // namespace

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

std::string cut_label(std::string_view name, std::size_t length,
                      std::size_t room, bool at_right) {
  if (at_right) return fmt::format("{}..", first_characters(name, room - 2));
  const std::string_view last = last_part(name);
  const std::size_t last_length =
      last.size() == name.size() ? length : characters_in(last);
  if (last_length > room)
    return fmt::format("{}..", first_characters(last, room - 2));
  if (last_length > room - 2) return std::string(last);
  return fmt::format("..{}", last_characters(name, room - 2, length));
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "render/text_table.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/text.h"

namespace wick {
namespace {

struct Range {
  char32_t first, last;
};

// Sorted. From the tables of Unicode 15 (East Asian Width W and F; general
// categories Mn and Me), with neighbouring blocks joined.
constexpr Range kWide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2e80, 0x303e},
    {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},
    {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe6f},   {0xff01, 0xff60},   {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
    {0x20000, 0x3fffd},
};
constexpr Range kCombining[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489},   {0x0591, 0x05bd}, {0x0610, 0x061a},
    {0x064b, 0x065f}, {0x06d6, 0x06dc},   {0x093a, 0x093a}, {0x0941, 0x0948},
    {0x094d, 0x094d}, {0x0e31, 0x0e31},   {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},
    {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},   {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
};
// Control characters, line and paragraph separators, those without width, and
// those that change the direction of writing.
constexpr Range kUnsafe[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad},   {0x061c, 0x061c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
};

bool is_in(std::span<const Range> ranges, char32_t c) {
  const auto at = std::ranges::lower_bound(ranges, c, {}, &Range::last);
  return at != ranges.end() && c >= at->first;
}

int width_of(char32_t c) {
  if (c < 0x300) return 1;
  return is_in(kCombining, c) ? 0 : is_in(kWide, c) ? 2 : 1;
}

}  // namespace

std::string printable(std::string_view text, int width) {
  // A base character with any number of marks takes one column, so bytes are
  // limited as well.
  constexpr std::size_t kMostBytes = 16 << 10;
  const std::size_t most_bytes =
      width > 0 ? static_cast<std::size_t>(width) * 8 : kMostBytes;
  std::string out;
  int used = 0;
  std::size_t fits = 0;  // bytes of `out` that leave room for "…"
  while (!text.empty()) {
    char32_t c = take_utf8(text);
    if (is_in(kUnsafe, c)) c = '?';
    used += width_of(c);
    append_utf8(out, c);
    if ((width > 0 && used > width) || out.size() > most_bytes) {
      out.resize(fits);
      return out + "…";
    }
    if (width <= 0 || used < width) fits = out.size();
  }
  return out;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) width += width_of(take_utf8(text));
  return width;
}

TextTable::TextTable(std::vector<Heading> headings) {
  std::vector<std::string> row;
  for (Heading& heading : headings) {
    align_.push_back(heading.align);
    row.push_back(std::move(heading.text));
  }
  rows_.push_back(std::move(row));
}

void TextTable::add(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  std::vector<int> widths(align_.size());
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  std::string out;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto room =
          static_cast<std::size_t>(widths[i] - display_width(row[i]));
      out += "  ";
      if (align_[i] == Align::kRight) out.append(room, ' ');
      out += row[i];
      if (align_[i] == Align::kLeft) out.append(room, ' ');
    }
    while (out.ends_with(' ')) out.pop_back();
    out += '\n';
  }
  return out;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "base/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/append.h"
#include "base/text.h"

namespace wick {
namespace {

bool is_harmless(char c) {
  return (c >= ' ' && c < '\x7f') || c == '\n' || c == '\t';
}

// Beyond ASCII: the second set of control characters, and those that reorder
// the text around them, so that it reads as something else.
bool is_unsafe(char32_t c) {
  return (c >= 0x80 && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

// How many bytes at the end of `text` may be the beginning of a character.
std::size_t unfinished(std::string_view text) {
  for (std::size_t n = 1; n <= std::min<std::size_t>(3, text.size()); ++n) {
    const auto byte = static_cast<unsigned char>(text[text.size() - n]);
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) {
      const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return n < length ? n : 0;
    }
  }
  return 0;
}

}  // namespace

std::string for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto plain_end = std::ranges::find_if_not(text, is_harmless);
    const auto plain = static_cast<std::size_t>(plain_end - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::string_view before = text;
    const char32_t c = take_utf8(text);
    const std::size_t length = before.size() - text.size();
    if (length == 1)
      append(out, "\\x{:02x}", static_cast<unsigned char>(before.front()));
    else if (is_unsafe(c))
      append(out, "\\u{:04x}", static_cast<std::uint32_t>(c));
    else
      out += before.substr(0, length);
  }
  return out;
}

std::string in_one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

TerminalBuffer::TerminalBuffer(std::streambuf& terminal)
    : terminal_(terminal) {}

TerminalBuffer::~TerminalBuffer() { TerminalBuffer::sync(); }

bool TerminalBuffer::put(std::string_view text) {
  const std::string safe = for_terminal(text);
  const auto size = static_cast<std::streamsize>(safe.size());
  return terminal_.sputn(safe.data(), size) == size;
}

std::streamsize TerminalBuffer::xsputn(const char* text, std::streamsize size) {
  pending_.append(text, static_cast<std::size_t>(size));
  std::string whole = std::exchange(pending_, {});
  pending_ = whole.substr(whole.size() - unfinished(whole));
  whole.resize(whole.size() - pending_.size());
  return put(whole) ? size : 0;
}

TerminalBuffer::int_type TerminalBuffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return 0;
  const char one = traits_type::to_char_type(c);
  return TerminalBuffer::xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

int TerminalBuffer::sync() {
  const bool good = put(std::exchange(pending_, {}));
  return good && terminal_.pubsync() == 0 ? 0 : -1;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Rust's first mangling: a path as in C++, whose last part is a hash.
// Characters that C++ does not allow in names are escaped between dollar signs.
#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text.h"
#include "object/demangle/demangle_parts.h"

namespace wick {
namespace {

bool is_hash_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

// 'h' and 16 hexadecimal digits, at least five of them distinct: a C++ function
// could have a similar name.
bool is_hash(std::string_view part) {
  if (part.size() != 17 || part[0] != 'h') return false;
  std::uint32_t met = 0;
  for (const char c : part.substr(1)) {
    if (!is_hash_digit(c)) return false;
    met |= 1U << (c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return __builtin_popcount(met) >= 5;
}

// The character that "LT" or "u7b" between dollar signs encodes.
bool append_escape(std::string& out, std::string_view code) {
  struct Escape {
    std::string_view code;
    char character;
  };
  constexpr Escape kEscapes[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'},
                                 {"LT", '<'}, {"GT", '>'}, {"LP", '('},
                                 {"RP", ')'}, {"C", ','}};
  for (const Escape& escape : kEscapes)
    if (code == escape.code) {
      out += escape.character;
      return true;
    }
  if (code.size() < 2 || code.size() > 7 || code[0] != 'u') return false;
  std::uint32_t c = 0;
  for (const char digit : code.substr(1)) {
    if (!is_hash_digit(digit)) return false;
    c = c * 16 + static_cast<std::uint32_t>(digit <= '9' ? digit - '0'
                                                         : digit - 'a' + 10);
  }
  if (c < 0x20 || c == 0x7f || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    return false;
  append_utf8(out, c);
  return true;
}

bool append_part(std::string& out, std::string_view part) {
  if (part.starts_with("_$")) part.remove_prefix(1);
  while (!part.empty()) {
    if (part.starts_with("..")) {
      out += "::";
      part.remove_prefix(2);
    } else if (part[0] == '$') {
      const std::size_t end = part.find('$', 1);
      if (end == part.npos || !append_escape(out, part.substr(1, end - 1)))
        return false;
      part.remove_prefix(end + 1);
    } else {
      const std::size_t plain =
          part[0] == '.' ? 1 : std::min(part.find_first_of(".$"), part.size());
      out += part.substr(0, plain);
      part.remove_prefix(plain);
    }
  }
  return true;
}

// Takes one part, a length and a text, from the front of `name`.
std::optional<std::string_view> take_part(std::string_view& name) {
  std::size_t size = 0, digits = 0;
  for (; digits < name.size() && name[digits] >= '0' && name[digits] <= '9';
       ++digits) {
    size = size * 10 + static_cast<std::size_t>(name[digits] - '0');
    if (size > name.size()) return {};
  }
  if (size == 0 || size > name.size() - digits) return {};
  const std::string_view part = name.substr(digits, size);
  name.remove_prefix(digits + size);
  return part;
}

}  // namespace

std::optional<std::string> demangle_rust_legacy(std::string_view name) {
  if (!name.starts_with("_ZN")) return {};
  // Rejects nearly all C++ names.
  if (name.find("17h") == name.npos) return {};
  name.remove_prefix(3);
  std::string out;
  while (true) {
    const std::optional<std::string_view> part = take_part(name);
    if (!part) return {};
    if (name.starts_with('E')) {
      // The hash. A suffix (".llvm.123") may follow.
      if (out.empty() || !is_hash(*part)) return {};
      if (name.size() > 1 && name[1] != '.' && name[1] != '@') return {};
      return out;
    }
    if (!out.empty()) out += "::";
    if (!append_part(out, *part)) return {};
  }
}

}  // namespace wick

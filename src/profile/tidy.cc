// SPDX-License-Identifier: Apache-2.0
#include "profile/tidy.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace wick {

std::string_view without_arguments(std::string_view function) {
  // The argument list is the first "(" outside all brackets. A bracket that is
  // part of an operator's name ("operator<", "operator->") opens nothing.
  int depth = 0;
  char previous = '\0';
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    switch (c) {
      case '<':
      case '{':
      case '[':
        ++depth;
        break;
      case '(':
        // "(anonymous namespace)::f" begins with a bracket that belongs to the
        // name, and Go writes methods as "pkg.(*T).f".
        if (depth == 0 && previous != '.' &&
            !function.substr(i).starts_with("(anonymous namespace)"))
          return function.substr(0, i);
        ++depth;
        break;
      case '>':
        if (previous != '-') --depth;
        break;
      case '}':
      case ')':
      case ']':
        --depth;
        break;
      default:
        break;
    }
    previous = c;
  }
  return function;
}

std::string_view without_arguments_perl(std::string_view function) {
  const std::size_t paren = function.find('(');
  if (paren == function.npos) return function;
  if (function.find("(anonymous namespace)") != function.npos) return function;
  if (paren > 0 && function[paren - 1] == '.' &&
      function.find(").", paren) != function.npos)
    return function;
  return function.substr(0, paren);
}

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 9>
    kRustEscapes = {{{"$SP$", "@"},
                     {"$BP$", "*"},
                     {"$RF$", "&"},
                     {"$LT$", "<"},
                     {"$GT$", ">"},
                     {"$LP$", "("},
                     {"$RP$", ")"},
                     {"$C$", ","},
                     {"..", "::"}}};

// "$u7e$" and the like: a character by its code point.
bool take_code_point(std::string_view& text, std::string& out) {
  if (!text.starts_with("$u")) return false;
  const std::size_t end = text.find('$', 2);
  if (end == text.npos || end == 2 || end > 8) return false;
  const auto code = to_number<std::uint32_t>(text.substr(2, end - 2), 16);
  if (!code || *code < 0x20 || *code == 0x7f || *code > 0x10ffff) return false;
  append_utf8(out, *code);
  text.remove_prefix(end + 1);
  return true;
}

}  // namespace

std::string rust_demangled(std::string_view function) {
  constexpr std::size_t kHash = 19;  // "::h" and 16 digits
  if (function.size() <= kHash ||
      function.substr(function.size() - kHash, 3) != "::h" ||
      !all_hex_digits(function.substr(function.size() - 16)))
    return std::string(function);
  std::string_view rest = function.substr(0, function.size() - kHash);
  if (rest.starts_with("_$")) rest.remove_prefix(1);
  std::string out;
  while (!rest.empty()) {
    if (take_code_point(rest, out)) continue;
    bool replaced = false;
    for (const auto& [from, to] : kRustEscapes) {
      if (!rest.starts_with(from)) continue;
      out += to;
      rest.remove_prefix(from.size());
      replaced = true;
      break;
    }
    if (replaced) continue;
    out += rest.front();
    rest.remove_prefix(1);
  }
  return out;
}

}  // namespace wick

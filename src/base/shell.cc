// SPDX-License-Identifier: Apache-2.0
#include "base/shell.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/append.h"
#include "base/text.h"

namespace wick {
namespace {

bool is_literal(char c) {
  constexpr std::string_view kPlain = "_@%+=:,./-";
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kPlain.find(c) != kPlain.npos;
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
}

std::string with_escapes(std::string_view word) {
  std::string out = "$'";
  for (const char c : word) {
    if (is_control(c))
      append(out, "\\x{:02x}", static_cast<unsigned char>(c));
    else if (c == '\'' || c == '\\')
      out += {'\\', c};
    else
      out += c;
  }
  return out + "'";
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_literal))
    return std::string(word);
  if (std::ranges::any_of(word, is_control)) return with_escapes(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

std::string shell_quoted_file(const std::string& path) {
  return shell_quoted(path.starts_with('-') ? "./" + path : path);
}

std::string shell_command(std::span<const std::string> words) {
  std::string out;
  for (const std::string& word : words)
    out += (out.empty() ? "" : " ") + shell_quoted(word);
  return out;
}

std::string suggested_command(std::string_view command,
                              const std::string& path) {
  const std::string quoted = shell_quoted_file(path);
  const bool is_bare = quoted.find('\'') == quoted.npos;
  return fmt::format("{1}{0} {2}{1}", command, is_bare ? "'" : "", quoted);
}

}  // namespace wick

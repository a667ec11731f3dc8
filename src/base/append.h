// SPDX-License-Identifier: Apache-2.0
// Text appended to strings. fmt compiles its formatting functions again in each
// file that calls fmt::format_to or formats an fmt::join, 60 kB of code each
// time; these compile them once.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace wick {

void append_formatted(std::string& out, fmt::string_view format,
                      fmt::format_args args);

template <class... Args>
void append(std::string& out, fmt::format_string<Args...> format,
            Args&&... args) {
  append_formatted(out, format, fmt::make_format_args(args...));
}

// "a, b, c" for ", ".
template <class Texts>
std::string joined(const Texts& texts, std::string_view separator) {
  std::string out;
  for (bool first = true; const auto& text : texts) {
    if (!first) out += separator;
    first = false;
    out += text;
  }
  return out;
}

}  // namespace wick

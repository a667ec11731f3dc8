// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace wick {

void write_to_stderr(std::string_view text);
void tell_formatted(fmt::string_view text, fmt::format_args args);

// Writes to standard error and ignores failures: a recording is worth more than
// the messages about it.
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  tell_formatted(text, fmt::make_format_args(args...));
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace wick {

// As it is, with wick's own control sequences, to standard error.
void write_to_stderr(std::string_view text);
void tell_formatted(fmt::string_view text, fmt::format_args args);

// Writes to standard error and ignores failures: a recording is worth more than
// the messages about it. Control characters become visible (for_terminal).
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  tell_formatted(text, fmt::make_format_args(args...));
}

}  // namespace wick

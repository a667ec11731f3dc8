// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace wick {

void write_to_stderr(std::string_view text);

// Writes to standard error and ignores failures: a recording is worth more than
// the messages about it.
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  write_to_stderr(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace wick {

// Writes to standard error. Whoever cannot be told does not stop the work: a
// recording is worth more than what is said of it.
template <class... Args>
void tell(fmt::format_string<Args...> text, Args&&... args) {
  const std::string told = fmt::format(text, std::forward<Args>(args)...);
  std::fwrite(told.data(), 1, told.size(), stderr);
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// When a running process began, which tells it from others that had its pid.
#pragma once

#include <cstdint>
#include <optional>

namespace wick {

// In nanoseconds since 1970, at most two hundredths of a second too early;
// nothing if there is no such process. Wrong by as much as the clock was set
// since.
std::optional<std::int64_t> process_start(std::uint32_t pid);

}  // namespace wick

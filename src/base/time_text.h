// SPDX-License-Identifier: Apache-2.0
// Lengths of time, written for people and read from them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wick {

// Three digits and a unit: "4.93 s", "12.4 ms", "890 µs", "-15 ns", "0 s".
std::string time_text(double nanoseconds);

// How many nanoseconds "50ms" or "1.5 s" are (ns, us, µs, ms or s), or nothing.
std::optional<double> parse_time(std::string_view text);

}  // namespace wick

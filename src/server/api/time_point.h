// SPDX-License-Identifier: Apache-2.0
// Moments as requests say them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wick {

// In nanoseconds since 1970, or nothing:
//   now                        now_ns
//   -60s, now-1.5h             before it: ms, s, m, h, d or w
//   1700000000, 1700000000.25  seconds since 1970
//   1700000000250              milliseconds, as JavaScript counts; with 16
//                              digits microseconds, with 19 nanoseconds
//   2026-11-19T20:09:02Z       or with +01:00; the seconds may have decimals
std::optional<std::int64_t> parse_time_point(std::string_view text,
                                             std::int64_t now_ns);

// "10s", "500ms", "1.5h", in nanoseconds; more than 0.
std::optional<std::int64_t> parse_duration(std::string_view text);

// "2026-11-19 20:09:02", UTC.
std::string date_text(std::int64_t ns);

}  // namespace wick

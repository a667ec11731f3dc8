// SPDX-License-Identifier: Apache-2.0
// Parses /proc/PID/stat and /proc/PID/task/TID/stat.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wick {

struct ProcessStat {
  std::string_view name;  // in the text
  char state = '?';       // 'S', 'D', 'R' …
  std::int32_t parent = 0;
  std::uint64_t minor_faults = 0, major_faults = 0;
  std::uint64_t user_ticks = 0, system_ticks = 0;  // hundredths of a second
  int priority = 0;  // of the kernel's scheduler: 120 is usual
  std::uint32_t threads = 0;
  std::uint64_t start_ticks = 0;  // after the machine was started
  std::uint64_t resident_pages = 0;
  std::uint32_t cpu = 0;  // where it ran last
};
std::optional<ProcessStat> parse_process_stat(std::string_view text);

}  // namespace wick

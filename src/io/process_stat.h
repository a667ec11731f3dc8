// SPDX-License-Identifier: Apache-2.0
// Parses /proc/PID/stat and /proc/PID/task/TID/stat.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wick {

struct ProcessStat {
  std::string_view name;          // in the text
  char state = '?';               // 'S', 'D', 'R' …
  int priority = 0;               // of the kernel's scheduler: 120 is usual
  std::uint64_t start_ticks = 0;  // after the machine was started
  std::uint32_t cpu = 0;          // where it ran last
};
std::optional<ProcessStat> parse_process_stat(std::string_view text);

}  // namespace wick

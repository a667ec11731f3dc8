// SPDX-License-Identifier: Apache-2.0
#include "io/process_stat.h"

#include <limits>

#include "base/text.h"

namespace wick {

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
  // The process chooses its name, which may have parentheses and blanks.
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) return {};
  ProcessStat stat{.name = text.substr(open + 1, close - open - 1)};
  text.remove_prefix(close + 1);
  // Fields are numbered as in proc_pid_stat(5).
  constexpr int kState = 3, kPriority = 18, kStart = 22, kProcessor = 39;
  for (int field = kState; field <= kProcessor; ++field) {
    const std::string_view word = take_word(text);
    if (field == kState) {
      if (word.size() != 1) return {};
      stat.state = word.front();
    } else if (field == kPriority) {
      constexpr int kNormal = 100;  // 0 to 39 are 100 to 139
      const auto shown = to_number<int>(word);
      if (!shown || *shown > std::numeric_limits<int>::max() - kNormal)
        return {};
      stat.priority = *shown + kNormal;
    } else if (field == kStart) {
      const auto ticks = to_number<std::uint64_t>(word);
      if (!ticks) return {};
      stat.start_ticks = *ticks;
    } else if (field == kProcessor) {
      const auto cpu = to_number<std::uint32_t>(word);
      if (!cpu) return {};
      stat.cpu = *cpu;
    }
  }
  return stat;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "perf/events/proc_thread.h"

#include <limits>

#include "base/text.h"

namespace wick {
namespace {

// A number with its "0x".
std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  return to_number<std::uint64_t>(text.substr(2), 16);
}

}  // namespace

std::optional<ThreadStat> parse_thread_stat(std::string_view text) {
  // The thread chooses its name, which may have parentheses and blanks.
  const std::size_t open = text.find('('), close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) return {};
  ThreadStat stat{.name = text.substr(open + 1, close - open - 1)};
  text.remove_prefix(close + 1);
  // Fields are numbered as in proc_pid_stat(5).
  constexpr int kState = 3, kPriority = 18, kProcessor = 39;
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
    } else if (field == kProcessor) {
      const auto cpu = to_number<std::uint32_t>(word);
      if (!cpu) return {};
      stat.cpu = *cpu;
    }
  }
  return stat;
}

std::optional<SwitchCounts> parse_switch_counts(std::string_view status) {
  std::optional<std::uint64_t> voluntary, forced;
  while (!status.empty()) {
    std::string_view line = take_line(status);
    const std::string_view key = take_until(line, ':');
    if (key == "voluntary_ctxt_switches")
      voluntary = to_number<std::uint64_t>(trim(line));
    if (key == "nonvoluntary_ctxt_switches")
      forced = to_number<std::uint64_t>(trim(line));
  }
  if (!voluntary || !forced) return {};
  return SwitchCounts{*voluntary, *forced};
}

std::optional<BlockedAt> parse_blocked_at(std::string_view text) {
  // "running"; "-1 SP PC" outside of system calls; "NUMBER ARGUMENTS SP PC".
  std::string_view last, before;
  int words = 0;
  for (text = trim(text); !text.empty() && words < 10; ++words) {
    before = last;
    last = take_word(text);
  }
  if ((words != 3 && words != 9) || !text.empty()) return {};
  const auto sp = hexadecimal(before), pc = hexadecimal(last);
  if (!sp || !pc) return {};
  return BlockedAt{*sp, *pc};
}

std::optional<KernelFrameText> parse_kernel_frame(std::string_view line) {
  take_until(line, ' ');  // the address, which the kernel hides
  KernelFrameText frame;
  std::string_view place = take_word(line);
  frame.function = take_until(place, '+');
  const auto offset = hexadecimal(take_until(place, '/'));
  if (frame.function.empty() || !offset) return {};
  frame.offset = *offset;
  std::string_view module = trim(line);
  if (module.starts_with('[') && module.ends_with(']'))
    frame.module = module.substr(1, module.size() - 2);
  return frame;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "perf/events/proc_thread.h"

#include "base/text.h"

namespace wick {
namespace {

// A number with its "0x".
std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) return std::nullopt;
  return to_number<std::uint64_t>(text.substr(2), 16);
}

}  // namespace

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

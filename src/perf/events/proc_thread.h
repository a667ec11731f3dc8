// SPDX-License-Identifier: Apache-2.0
// Parses what /proc/TID shows of a thread that sleeps.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wick {

// How often a thread has left a CPU, from /proc/TID/status. The numbers grow
// when it leaves, so those of a thread that sleeps and those of the same thread
// that sleeps later are equal exactly if it has not run in between.
struct SwitchCounts {
  std::uint64_t voluntary = 0, forced = 0;
  bool operator==(const SwitchCounts&) const = default;
};
std::optional<SwitchCounts> parse_switch_counts(std::string_view status);

// /proc/TID/syscall: where a thread left user space; zeros for a kernel thread.
// Nothing if it runs or is about to.
struct BlockedAt {
  std::uint64_t sp = 0, pc = 0;
  bool operator==(const BlockedAt&) const = default;
};
std::optional<BlockedAt> parse_blocked_at(std::string_view text);

// A line of /proc/TID/stack, "[<0>] nf_hook_slow+0x48/0x100 [nf_tables]".
struct KernelFrameText {
  std::string_view function, module;  // in the line; "" for the kernel itself
  std::uint64_t offset = 0;
};
std::optional<KernelFrameText> parse_kernel_frame(std::string_view line);

}  // namespace wick

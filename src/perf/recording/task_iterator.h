// SPDX-License-Identifier: Apache-2.0
// Looks at threads from inside the kernel, with a BPF iterator: their kernel
// stacks and the user registers that they entered the kernel with. Nothing
// stops them. /proc has only two of the registers, and rules that are based on
// the frame pointer need a third.
//
// The program has some eighty instructions and is assembled with offsets from
// the running kernel's BTF.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "io/unique_fd.h"
#include "perf/events/system_paths.h"

namespace wick {

// A thread at one moment. It may be running: then the rest is meaningless.
struct SeenTask {
  static constexpr std::size_t kMaxRegisters = 33;
  static constexpr std::size_t kMaxFrames = 127;

  std::uint32_t tid = 0, pid = 0;
  std::uint32_t is_on_cpu = 0;
  std::uint32_t flags = 0;                  // PF_* of the kernel
  std::uint64_t voluntary = 0, forced = 0;  // context switches
  std::int64_t kernel_bytes = 0;            // of kernel_stack; or -errno
  std::uint64_t code_segment = 0;           // x86: tells 32-bit code
  std::array<std::uint64_t, kMaxRegisters> registers{};  // by perf's numbers
  std::array<std::uint64_t, kMaxFrames> kernel_stack{};  // leaf first

  std::span<const std::uint64_t> kernel_leaf_first() const;
  bool is_kernel_thread() const;
  bool is_32_bit() const;
};

class TaskIterator {
 public:
  // Nothing if the kernel or the lack of privileges rules it out.
  static std::optional<TaskIterator> load(const SystemPaths& paths = {});

  // All threads of the machine; false if the kernel gave up on the way.
  bool for_each(const std::function<void(const SeenTask&)>& visit) const;

 private:
  explicit TaskIterator(UniqueFd link);
  UniqueFd link_;
};

}  // namespace wick

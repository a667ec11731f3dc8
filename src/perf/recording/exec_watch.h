// SPDX-License-Identifier: Apache-2.0
// Tells at once that a process executes a program. The buffers of a recording
// are read some fifty times a second; by then a test of ./configure has run for
// three milliseconds and been deleted. So an event of its own wakes a thread
// for each exec, when /proc/PID/exe leads to the new program already
// (fs/exec.c, begin_new_exec). That takes some 100 µs, so after the first few
// programs it is only done if the recording has met a new or a deleted file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "io/unique_fd.h"
#include "perf/events/kernel_limits.h"
#include "perf/events/ring_buffer.h"

namespace wick {

class ExecWatch {
 public:
  using Use = std::function<void(std::uint32_t pid)>;
  // Calls `use`, on a thread of its own, for each process that executes
  // something; of very many, some are left out.
  ExecWatch(std::span<const int> cpus, const KernelLimits& limits, Use use);
  ExecWatch(const ExecWatch&) = delete;
  ExecWatch& operator=(const ExecWatch&) = delete;
  ~ExecWatch();

  // False if this user may not watch whole CPUs.
  bool is_open() const { return !rings_.empty(); }

 private:
  bool open(std::span<const int> cpus, const KernelLimits& limits);
  void watch();
  void read(std::string_view record) const;

  Use use_;
  std::vector<UniqueFd> fds_;
  std::vector<RingBuffer> rings_;
  UniqueFd end_;  // can be read when the thread is to end
  std::jthread thread_;
};

}  // namespace wick

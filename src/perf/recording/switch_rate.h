// SPDX-License-Identifier: Apache-2.0
// How often the threads leave the CPU that a recording is about to attach to.
// Each time costs a stack copy, so this decides how large copies may be.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "perf/events/system_paths.h"
#include "perf/recording/record_options.h"
#include "perf/recording/recording_plan.h"

namespace wick {

class SwitchRate {
 public:
  // Begins to measure what `options` attach to; some of the threads stand
  // for all of them.
  explicit SwitchRate(const RecordOptions& options,
                      const SystemPaths& paths = {});

  // Since then, of all threads together. Waits until the time is long enough
  // to measure.
  SwitchLoad measured() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t count() const;

  SystemPaths paths_;
  bool is_system_wide_;
  struct Thread {
    pid_t pid, tid;
  };
  std::vector<Thread> threads_;
  std::size_t all_threads_ = 0;  // of which threads_ are measured
  std::uint64_t before_ = 0;
  Clock::time_point begin_;
};

// The switches of the whole machine since it started, from /proc/stat; 0 if
// unknown.
std::uint64_t parse_machine_switches(std::string_view stat);

}  // namespace wick

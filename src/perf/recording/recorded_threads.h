// SPDX-License-Identifier: Apache-2.0
// Which threads are recorded, for wakings that are sampled on the whole
// machine: only those of recorded threads matter, and those by recorded threads
// are recorded already, with a better stack.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "perf/recording/pid_set.h"
#include "perf/records/record.h"
#include "perf/records/tracepoint.h"

namespace wick {

class RecordedThreads {
 public:
  // `tracing_data` describes sched_waking.
  explicit RecordedThreads(std::string_view tracing_data);

  // COMM, FORK and EXIT.
  void visit(const PerfRecord& record);

  // Whether this sample of sched_waking wakes a recorded thread and is by
  // another thread or a device.
  bool are_woken_by(const PerfRecord& waking);
  // The process of the last such waker if it is new, else 0.
  std::uint32_t new_waker();

 private:
  std::vector<std::unique_ptr<const TracepointFormat>> formats_;
  const TracepointFormat* waking_ = nullptr;
  PidSet tids_;
  PidSet wakers_;  // pids that are known
  PerfSample sample_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Which threads are recorded, for wakings that are watched on the whole
// machine: only those matter that end a wait of one of them, and those by one
// of them are recorded already, with a better stack.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "perf/records/record.h"
#include "perf/records/tracepoint.h"

namespace wick {

class RecordedThreads {
 public:
  // `tracing_data` describes sched_waking.
  explicit RecordedThreads(std::string_view tracing_data);

  // COMM, FORK and EXIT say who comes and goes.
  void visit(const PerfRecord& record);

  // Whether this sample of sched_waking is of a stranger, or the machine, who
  // wakes one of them.
  bool are_woken_by(const PerfRecord& waking);
  // The process that woke, if it was not met before, else 0.
  std::uint32_t new_stranger();

 private:
  std::vector<std::unique_ptr<const TracepointFormat>> formats_;
  const TracepointFormat* waking_ = nullptr;
  std::unordered_set<std::uint32_t> tids_;
  std::unordered_set<std::uint32_t> strangers_;  // pids
  PerfSample sample_;
};

}  // namespace wick

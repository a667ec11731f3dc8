// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "perf/records/record.h"

namespace wick {

// Counts the samples whose stack, made by the kernel from frame pointers, is as
// deep as it may be (kernel.perf_event_max_stack) and so most likely cut.
class CutStacks {
 public:
  void visit(const PerfRecord& sample);
  std::uint64_t count() const { return count_; }

 private:
  PerfSample sample_;  // reused
  std::uint64_t count_ = 0;
};

}  // namespace wick

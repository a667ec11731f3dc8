// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "perf/records/record.h"
#include "profile/diagnostics.h"

namespace wick {

// Counts the samples whose stack, made by the kernel from frame pointers, is as
// deep as it may be (kernel.perf_event_max_stack) and so most likely cut.
class CutStacks {
 public:
  void visit(const PerfRecord& sample);
  void note(Diagnostics& diagnostics) const;

 private:
  PerfSample sample_;  // reused
  std::uint64_t wakers_ = 0, others_ = 0;
};

}  // namespace wick

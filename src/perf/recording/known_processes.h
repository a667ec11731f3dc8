// SPDX-License-Identifier: Apache-2.0
// Which processes have been described to a recording. A process that begins
// after its inherited events were opened but before they were enabled has no
// FORK, nor has one whose record was lost. Only its first sample reveals it.
#pragma once

#include <cstdint>

#include "perf/recording/pid_set.h"
#include "perf/records/record.h"

namespace wick {

class KnownProcesses {
 public:
  // A record made from /proc, which has a COMM for each process.
  void on_described(const PerfRecord& record);
  // A record of the kernel. exec is followed by all mappings, and a child has
  // those of its parent; a new name or a new thread says nothing about
  // mappings.
  void visit(const PerfRecord& record);
  // The process of a sample if it is unknown, else 0. It counts as known from
  // now on.
  std::uint32_t newcomer(const PerfRecord& sample);

 private:
  PidSet known_;
  PerfSample sample_;
};

}  // namespace wick

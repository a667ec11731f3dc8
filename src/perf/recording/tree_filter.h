// SPDX-License-Identifier: Apache-2.0
// Lets an event of a whole CPU sample a program and its descendants alone. The
// recorder could drop the samples of others itself, but by then the kernel has
// copied their stacks, and on a busy machine theirs are the most.
//
// Three BPF programs share a table of threads: one adds whatever a thread of
// the table starts, one removes what has ended, and one decides about each
// sample. If there are more threads than the table holds, everything is sampled
// from then on: none is lost, and the recorder still drops what is foreign.
#pragma once

#include <sys/types.h>

#include <optional>

#include "io/unique_fd.h"
#include "perf/events/kernel_limits.h"
#include "perf/events/system_paths.h"

namespace wick {

class TreeFilter {
 public:
  static constexpr unsigned kMostThreads = 16384;

  // Whether the rights that load() needs are there.
  static bool is_likely(const KernelLimits& limits);
  // Of a program that has not started anything yet. Nothing if the kernel or
  // the lack of privileges rules it out.
  static std::optional<TreeFilter> load(pid_t program,
                                        unsigned most_threads = kMostThreads,
                                        const SystemPaths& paths = {});

  // Returns whether this event samples only the tree from now on, as long as
  // the filter and the event live.
  bool apply(int event_fd) const;

 private:
  TreeFilter() = default;

  UniqueFd filter_;                   // the program
  UniqueFd on_begin_, on_end_;        // its programs
  UniqueFd begin_event_, end_event_;  // where they run
};

}  // namespace wick

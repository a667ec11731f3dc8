// SPDX-License-Identifier: Apache-2.0
// What is to be opened for a recording: from what the user wants and what the
// kernel allows to events and the size of buffers. Opens nothing but one event
// on trial.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "perf/events/event_spec.h"
#include "perf/events/kernel_limits.h"
#include "perf/recording/record_options.h"
#include "perf/records/attr.h"

namespace wick {

struct PlannedEvent {
  EventSpec spec;
  EventAttr attr;
  bool is_filtered = false;    // by the user's --filter
  bool is_everywhere = false;  // on all CPUs, although threads are recorded
  // Has no samples, and tells of processes on the CPUs where the first event
  // is not: what runs on a chosen CPU may have begun on another.
  bool is_side_band = false;
};

struct RecordingPlan {
  // At least one. The first one tells of processes and what they map, too; one
  // that is everywhere is the last.
  std::vector<PlannedEvent> events;
  // Where one of the events is; each has its own in spec.cpus.
  std::vector<int> cpus;
  std::size_t buffer_size = 0;  // bytes, for each CPU
  // The events begin with the program, and need not be enabled.
  bool begins_with_exec = false;
  bool has_no_cycles = false;  // cpu-clock is used instead
  // How it falls short of the options, a sentence each.
  std::vector<std::string> limitations;
};

RecordingPlan plan_recording(const RecordOptions& options,
                             const KernelLimits& limits,
                             const SystemPaths& paths = {});

}  // namespace wick

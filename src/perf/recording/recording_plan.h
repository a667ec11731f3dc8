// SPDX-License-Identifier: Apache-2.0
// The events and buffers of a recording, from its options and what the kernel
// allows. Opens nothing but one event on trial.
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
  bool is_filtered = false;    // by RecordOptions::filter
  bool is_everywhere = false;  // on all CPUs, although threads are recorded
  // Has no samples, and reports processes on the CPUs that the first event does
  // not cover: what runs on a chosen CPU may have started on another.
  bool is_side_band = false;
};

struct RecordingPlan {
  // At least one. The first one also reports processes and their mappings; one
  // that is_everywhere is the last.
  std::vector<PlannedEvent> events;
  // All CPUs of any event; each has its own in spec.cpus.
  std::vector<int> cpus;
  std::size_t buffer_size = 0;  // bytes, for each CPU
  // The program's exec enables the events.
  bool begins_with_exec = false;
  bool has_no_cycles = false;  // cpu-clock is used instead
  // How it falls short of the options, a sentence each.
  std::vector<std::string> limitations;
};

RecordingPlan plan_recording(const RecordOptions& options,
                             const KernelLimits& limits,
                             const SystemPaths& paths = {});

}  // namespace wick

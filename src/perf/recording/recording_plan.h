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
  std::string filter;  // of a tracepoint, in the kernel's syntax; "": none
  // On all CPUs for all threads, although some are recorded: only samples that
  // concern these count.
  bool is_everywhere = false;
  // Has no samples, and reports processes where the sampled events do not: for
  // CPUs that were not chosen, as what runs on a chosen CPU may have started on
  // another, or beside events that are everywhere.
  bool is_side_band = false;
  // Not enabled at first: samples switches with smaller stack copies, in place
  // of the event of the same name, once that one's fill the buffers.
  bool is_spare = false;
};

struct RecordingPlan {
  // At least one. The first one that is not everywhere also reports processes
  // and their mappings; an event of wakings that is everywhere is the last.
  std::vector<PlannedEvent> events;
  // All CPUs of any event; each has its own in spec.cpus.
  std::vector<int> cpus;
  std::size_t buffer_size = 0;  // bytes, for each CPU
  // Switches are too many for copies of stacks of the usual size.
  bool has_small_copies = false;
  // The program's exec enables the events.
  bool begins_with_exec = false;
  bool has_no_cycles = false;  // cpu-clock is used instead
  // How it falls short of the options, a sentence each.
  std::vector<std::string> limitations;
};

// How often the threads to attach to leave the CPU.
struct SwitchLoad {
  std::size_t threads = 0;  // 0: unknown
  double per_second = 0;    // all of them together
};

RecordingPlan plan_recording(const RecordOptions& options,
                             const KernelLimits& limits,
                             const SystemPaths& paths = {},
                             const SwitchLoad& load = {});

}  // namespace wick

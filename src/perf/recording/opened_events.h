// SPDX-License-Identifier: Apache-2.0
// The open events of a recording, one for each recorded thread and CPU, with
// one buffer per CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "io/unique_fd.h"
#include "perf/events/event_open.h"
#include "perf/events/kernel_limits.h"
#include "perf/events/ring_buffer.h"
#include "perf/recording/attached_threads.h"
#include "perf/recording/record_options.h"
#include "perf/recording/recording_plan.h"
#include "perf/recording/tree_filter.h"
#include "perf/records/attr.h"

namespace wick {

struct OpenedEvent {
  PlannedEvent plan;
  std::vector<UniqueFd> fds;
  std::vector<std::uint64_t> ids;   // of each fd
  std::vector<std::size_t> cpu_at;  // of each fd, in RecordingPlan::cpus

  const EventAttr& attr() const { return plan.attr; }
};

class OpenedEvents {
 public:
  // Opens them without enabling them; `program` is the one to record, or -1.
  // Fails with advice. Where the kernel demands that attributes be reduced,
  // `limitations` says which.
  OpenedEvents(const RecordingPlan& plan, const RecordOptions& options,
               const KernelLimits& limits, pid_t program,
               std::vector<std::string>& limitations);

  const std::vector<OpenedEvent>& all() const { return events_; }
  const OpenedEvent& front() const { return events_.front(); }
  const OpenedEvent& back() const { return events_.back(); }
  // The event that reports processes.
  const OpenedEvent& side_band() const;
  // Whether a record repeats that of another event.
  bool are_double(const PerfRecord& record) { return late_.are_double(record); }
  // How many do not hang up when the recorded threads have ended.
  std::size_t lasting() const;

  // Maps a buffer for each CPU, shared by its events. Call it once.
  RingBuffers map_buffers(std::vector<std::string>& limitations) const;

  void enable() const;  // except spare ones and those that exec enables
  void disable();       // for good

 private:
  void open_threads();
  void open_everywhere();
  void filter_by_tree(pid_t program);
  std::vector<OpenTarget> on_all_cpus(pid_t thread) const;
  // Does nothing if the thread of one of several targets has ended.
  void open_on(std::span<const OpenTarget> targets, bool are_late = false);
  bool open(OpenedEvent& event, const OpenTarget& target,
            std::size_t target_count);
  bool may_be_skipped(const OpenResult& opened, const OpenTarget& target,
                      std::size_t target_count);
  std::size_t sampled_events() const;

  const RecordingPlan& plan_;
  const RecordOptions& options_;
  const KernelLimits& limits_;
  UniqueFd cgroup_;
  std::vector<OpenedEvent> events_;
  std::optional<TreeFilter> tree_filter_;
  // The kernel takes 60 ms to let go of a filter, in which names are looked up.
  std::jthread closing_;
  LateEvents late_;
  std::set<pid_t> refused_;  // threads below those that the options name
  std::uint32_t given_up_ = 0;
};

// Explains buffers that are smaller than asked for, by RingBuffers::refusal().
std::string explain_smaller_buffers(std::size_t size, std::size_t wanted,
                                    int refusal);

}  // namespace wick

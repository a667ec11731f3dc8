// SPDX-License-Identifier: Apache-2.0
// Describes processes that the kernel does not announce to a recording, so that
// its samples have names and code: what runs already when it begins, what
// begins unannounced, and who wakes recorded threads without being recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "perf/events/kernel_limits.h"
#include "perf/recording/known_processes.h"
#include "perf/recording/opened_events.h"
#include "perf/recording/proc_events.h"
#include "perf/recording/record_options.h"
#include "perf/recording/record_window.h"
#include "perf/recording/recorded_threads.h"
#include "perf/recording/recorded_tree.h"

namespace wick {

class RecordedProcesses {
 public:
  // Stores a record that was made from /proc.
  using Store =
      std::function<void(const PerfRecord& record, std::string_view whole)>;
  // All references outlive it. `window` parses records.
  RecordedProcesses(const RecordOptions& options, const OpenedEvents& events,
                    RecordWindow& window, Store store);

  // `wakings` is an event of sched_waking on the whole machine, which
  // `tracing_data` describes: only samples that wake a recorded thread count.
  void watch_wakers(const PerfEvent& wakings, std::string_view tracing_data);

  // `program` is recorded: of `everywhere`, which sample all that runs, only
  // samples of its tree count.
  void watch_tree(pid_t program, std::vector<const PerfEvent*> everywhere);
  void program_has_begun(std::uint64_t time) { tree_->begins_before(time); }
  // That tree so far; null without one.
  const RecordedTree* tree() const { return tree_ ? &*tree_ : nullptr; }

  // Describes the kernel and everything that the options name, as of `time`.
  // Calls `pause` after each record: this may take seconds, in which buffers
  // fill.
  void describe_what_runs(const KernelLimits& limits, std::uint64_t time,
                          const std::function<void()>& pause);

  // Each record but samples.
  void visit(const PerfRecord& record);
  // Whether a sample is to be stored; describes its process first if need be.
  bool admits(const PerfRecord& sample);

 private:
  ProcEvents proc_events(std::uint64_t time) const;
  void describe(std::string_view record);
  void describe_newcomer(const PerfRecord& sample);
  void describe_waker(std::uint64_t time);
  bool is_foreign(const PerfRecord& sample);
  bool find_in_tree(std::uint32_t pid);

  const RecordOptions& options_;
  const OpenedEvents& events_;
  RecordWindow& window_;
  Store store_;
  KnownProcesses known_;
  const PerfEvent* wakings_ = nullptr;
  std::optional<RecordedThreads> threads_;  // with wakings_
  std::optional<RecordedTree> tree_;
  std::vector<const PerfEvent*> everywhere_;
  PerfSample sample_;
};

}  // namespace wick

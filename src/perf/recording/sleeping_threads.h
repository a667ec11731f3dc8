// SPDX-License-Identifier: Apache-2.0
// Where the threads sleep that a recording attaches to. The kernel reports a
// place only when a thread leaves the CPU, so one that sleeps throughout would
// have none. Each thread is looked at once, from outside, and what is seen is
// stored as a sample of the event that samples switches, as if the thread had
// left the CPU at that moment: perf and Hotspot know such samples, and the next
// task is "[asleep]". Who may not use tracepoints has an event for it that has
// no other samples.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "perf/recording/task_iterator.h"
#include "perf/recording/thread_look.h"
#include "perf/records/record.h"
#include "perf/records/record_encoder.h"
#include "perf/records/tracepoint.h"

namespace wick {

class SleepingThreads {
 public:
  // `switches` is an event of sched_switch, which `tracing_data` describes, or
  // of context switches.
  // Without `uses_bpf`, /proc is all there is.
  SleepingThreads(const PerfEvent& switches, std::string_view tracing_data,
                  bool uses_bpf = true);

  // A FORK that describes a thread that exists already: it is to be looked at.
  void visit(const PerfRecord& record);

  // Looks at them, for `longest` at most. Calls `emit` with a record for each
  // that sleeps, and `pause` after each. `now` is the clock of the event.
  using Emit = std::function<void(std::string_view record)>;
  void look(const ThreadLook::Now& now, std::chrono::milliseconds longest,
            const Emit& emit, const std::function<void()>& pause);

  // What it did not see, a sentence each.
  std::vector<std::string> limitations() const;

 private:
  bool is_time_up() const;
  bool wants_kernel() const {
    return !attr_.flag(attr_flag::kExcludeKernel) &&
           !attr_.flag(attr_flag::kExcludeCallchainKernel);
  }
  void use(const std::optional<SleepingThread>& thread, const Emit& emit);
  std::string_view encode(const SleepingThread& thread);
  std::string raw_of(const SleepingThread& thread) const;
  void fill_callchain(const SleepingThread& thread);

  bool uses_bpf_;
  EventAttr attr_;
  RecordEncoder encoder_;
  std::vector<std::unique_ptr<const TracepointFormat>> formats_;
  const TracepointFormat* switch_ = nullptr;
  std::unordered_map<pid_t, pid_t> waiting_;  // tid to pid
  std::chrono::steady_clock::time_point end_;
  std::uint64_t unseen_ = 0, hidden_stacks_ = 0, hidden_kernel_stacks_ = 0;
  // Of the sample being encoded.
  std::vector<std::uint64_t> callchain_, registers_;
};

}  // namespace wick

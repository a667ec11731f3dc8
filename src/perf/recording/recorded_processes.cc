// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recorded_processes.h"

#include <algorithm>
#include <utility>

#include "perf/events/cgroups.h"
#include "perf/recording/attached_threads.h"
#include "perf/recording/descendants.h"

namespace wick {

RecordedProcesses::RecordedProcesses(const RecordOptions& options,
                                     const OpenedEvents& events,
                                     RecordWindow& window, Store store)
    : options_(options),
      events_(events),
      window_(window),
      store_(std::move(store)) {}

void RecordedProcesses::watch_wakers(const PerfEvent& wakings,
                                     std::string_view tracing_data) {
  wakings_ = &wakings;
  threads_.emplace(tracing_data);
}

void RecordedProcesses::watch_tree(pid_t program,
                                   std::vector<const PerfEvent*> everywhere) {
  tree_.emplace(program);
  everywhere_ = std::move(everywhere);
}

ProcEvents RecordedProcesses::proc_events(std::uint64_t time) const {
  const OpenedEvent& event = events_.side_band();
  return ProcEvents({.attr = event.attr(),
                     .id = event.ids.front(),
                     .time = time,
                     .build_ids = true,
                     .data_mappings = event.attr().flag(attr_flag::kMmapData)});
}

void RecordedProcesses::describe_what_runs(const KernelLimits& limits,
                                           std::uint64_t time,
                                           const std::function<void()>& pause) {
  ProcEvents proc = proc_events(time);
  const auto emit = [&](std::string_view record) {
    describe(record);
    pause();
  };
  proc.kernel(limits.shows_kernel_addresses() && !options_.user_only &&
                  has_bpf_programs(),
              emit);
  // Any process may move into the group later and needs its code then. Those in
  // it count as asleep until they are seen to run.
  if (!options_.cgroup.empty())
    proc.all_processes(threads_of_cgroup(options_.cgroup), emit);
  else if (options_.system_wide)
    proc.all_processes(emit);
  for (const pid_t pid : attached_processes(options_)) proc.process(pid, emit);
  for (const pid_t tid : options_.threads) proc.thread(tid, emit);
}

void RecordedProcesses::describe(std::string_view whole) {
  const PerfRecord record = window_.parsed(whole);
  known_.on_described(record);
  visit(record);
  store_(record, whole);
}

void RecordedProcesses::visit(const PerfRecord& record) {
  known_.visit(record);
  if (threads_) threads_->visit(record);
  if (tree_) tree_->visit(record);
}

bool RecordedProcesses::admits(const PerfRecord& sample) {
  if (wakings_ != nullptr && sample.event == wakings_) {
    if (!threads_->are_woken_by(sample)) return false;
    describe_waker(sample.time - 1);
  } else if (tree_) {
    return !is_foreign(sample);
  } else if (!options_.records_program()) {
    describe_newcomer(sample);
  }
  return true;
}

bool RecordedProcesses::is_foreign(const PerfRecord& sample) {
  if (std::ranges::find(everywhere_, sample.event) == everywhere_.end())
    return false;
  if (!decode_sample(sample, sample_)) return true;
  return !tree_->contains(sample_.pid, sample.time,
                          sample.cpu_mode() != misc::kUser) &&
         !find_in_tree(sample_.pid);
}

// Where FORKs were lost, /proc shows whether a process has a parent in the
// tree, and what it has mapped.
bool RecordedProcesses::find_in_tree(std::uint32_t pid) {
  if (!tree_->may_miss(pid)) return false;
  const pid_t parent = parent_of(static_cast<pid_t>(pid));
  const auto number = static_cast<std::uint32_t>(parent);
  if (!tree_->contains(number, UINT64_MAX, false) && !find_in_tree(number))
    return false;
  tree_->adopt(pid, number);
  proc_events(sample_.time - 1)
      .process(static_cast<pid_t>(pid),
               [&](std::string_view record) { describe(record); });
  return true;
}

void RecordedProcesses::describe_newcomer(const PerfRecord& sample) {
  if (const std::uint32_t pid = known_.newcomer(sample))
    proc_events(sample.time - 1)
        .process(static_cast<pid_t>(pid),
                 [&](std::string_view record) { describe(record); });
}

// A waker that is not recorded does not become one of the recorded threads by
// its description.
void RecordedProcesses::describe_waker(std::uint64_t time) {
  if (const std::uint32_t pid = threads_->new_waker())
    proc_events(time).unrecorded(static_cast<pid_t>(pid),
                                 [&](std::string_view record) {
                                   store_(window_.parsed(record), record);
                                 });
}

}  // namespace wick

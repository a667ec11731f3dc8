// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/attached_threads.h"

#include <algorithm>

#include "base/error.h"
#include "perf/recording/descendants.h"
#include "perf/recording/proc_events.h"

namespace wick {

std::vector<pid_t> attached_processes(const RecordOptions& options,
                                      const SystemPaths& paths) {
  if (options.processes.empty() || !options.children) return options.processes;
  return with_descendants(options.processes, paths);
}

AttachedThreads::AttachedThreads(const RecordOptions& options,
                                 SystemPaths paths)
    : options_(options), paths_(std::move(paths)) {}

std::vector<pid_t> AttachedThreads::next() {
  // A chain of processes that each start the next one and end.
  constexpr int kMaxRounds = 100;
  if (++rounds_ > kMaxRounds) return {};
  std::set<pid_t> found, processes;
  if (rounds_ == 1) {
    found.insert(options_.threads.begin(), options_.threads.end());
    for (const pid_t pid : options_.processes)
      if (list_threads(pid, paths_).empty())
        fail("there is no process {}", pid);
  }
  for (const pid_t pid : attached_processes(options_, paths_)) {
    if (has_inherited(pid)) continue;
    for (const pid_t tid : list_threads(pid, paths_))
      if (!known_.contains(tid)) {
        found.insert(tid);
        processes.insert(pid);
      }
  }
  known_.insert(found.begin(), found.end());
  opened_.merge(newest_);
  newest_ = std::move(processes);
  return {found.begin(), found.end()};
}

// A process that had all its events before the last look, and no new threads in
// it, has passed them on to everything that it has started since.
bool AttachedThreads::has_inherited(pid_t pid) const {
  const auto passes_on = [&](pid_t one) {
    return opened_.contains(one) && !newest_.contains(one);
  };
  if (rounds_ <= 2 || newest_.contains(pid)) return false;
  return passes_on(pid) || passes_on(parent_of(pid, paths_));
}

void LateEvents::add(std::uint64_t id, pid_t tid, int cpu) {
  own_.emplace(Place{.tid = static_cast<std::uint32_t>(tid),
                     .cpu = static_cast<std::uint32_t>(cpu)},
               id);
}

bool LateEvents::are_double(const PerfRecord& record) {
  if (own_.empty()) return false;
  std::uint64_t id = 0;
  Place place;
  if (record.type == RecordType::kSample) {
    if (!decode_sample(record, sample_)) return false;
    id = sample_.id;
    place = {.tid = sample_.tid, .cpu = sample_.cpu};
  } else {
    const RecordId trailer = decode_record_id(record);
    id = trailer.id;
    place = {.tid = trailer.tid, .cpu = trailer.cpu};
  }
  const std::vector<std::uint64_t>& same_event = record.event->ids;
  const auto [begin, end] = own_.equal_range(place);
  for (auto own = begin; own != end; ++own)
    if (own->second != id &&
        std::ranges::find(same_event, own->second) != same_event.end())
      unneeded_.insert(own->second);
  return unneeded_.contains(id);
}

}  // namespace wick

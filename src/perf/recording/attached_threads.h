// SPDX-License-Identifier: Apache-2.0
// The threads to attach to. New ones may begin meanwhile: such a thread has
// inherited the events of its parent if these were open by then, and none if
// not, and nothing tells which. So it gets events of its own, and LateEvents
// drops their records if inherited ones turn up as well.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "perf/events/system_paths.h"
#include "perf/recording/record_options.h"
#include "perf/records/record.h"

namespace wick {

// The processes that are recorded at this moment: those that the options name,
// and their descendants unless the options exclude them.
std::vector<pid_t> attached_processes(const RecordOptions& options,
                                      const SystemPaths& paths = {});

class AttachedThreads {
 public:
  // `options` outlives it.
  explicit AttachedThreads(const RecordOptions& options,
                           SystemPaths paths = {});

  // Threads to open events for, ascending: at first all that there are, then
  // those that have begun since and may have inherited no events. Open them
  // before the next call. Empty when there are no more. Fails if a process
  // that the options name does not exist.
  std::vector<pid_t> next();

 private:
  bool has_inherited(pid_t pid) const;

  const RecordOptions& options_;
  SystemPaths paths_;
  std::set<pid_t> known_;  // threads
  // Processes with threads that the last call returned, and all before.
  std::set<pid_t> newest_, opened_;
  int rounds_ = 0;
};

// Recognises events that record what inherited ones record, too.
class LateEvents {
 public:
  // An event of a thread that may have inherited the same.
  void add(std::uint64_t id, pid_t tid, int cpu);

  // Whether a record is of such an event and comes twice. Inherited events have
  // the id of the one that was opened, so a thread's record with another id
  // than its own proves that its own is not needed.
  bool are_double(const PerfRecord& record);

 private:
  struct Place {
    std::uint32_t tid = 0, cpu = 0;
    auto operator<=>(const Place&) const = default;
  };
  std::multimap<Place, std::uint64_t> own_;  // ids of added events
  std::set<std::uint64_t> unneeded_;
  PerfSample sample_;
};

}  // namespace wick

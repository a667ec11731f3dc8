// SPDX-License-Identifier: Apache-2.0
// Describes what existed before the recording began: reads /proc and makes the
// records that the kernel would have written for threads and their names (FORK,
// COMM), mapped code (MMAP2), the kernel and its modules (MMAP).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "perf/events/system_paths.h"
#include "perf/records/attr.h"
#include "perf/records/record_encoder.h"

namespace wick {

struct ProcMapping;

struct ProcEventsOptions {
  // The event that the records belong to: determines their trailer and, by
  // kNamespaces and kCgroup, whether there are such records.
  EventAttr attr;
  std::uint64_t id = 0;  // 0, as perf writes, means the first event
  // Of all records. Must be after the events were opened and before /proc is
  // read: the kernel records whatever happens later, with a later time.
  std::uint64_t time = 0;
  bool build_ids = false;  // in MMAP2 instead of inodes, where a file has one
  bool data_mappings = false;  // also those that are not executable
  SystemPaths paths;
};

// A process that ends while it is read gives fewer records, or none.
class ProcEvents {
 public:
  // The record lives until the next one.
  using Emit = std::function<void(std::string_view record)>;
  explicit ProcEvents(ProcEventsOptions options);

  // A process with all its threads; `pid` may be any of them. False if it does
  // not exist.
  bool process(pid_t pid, const Emit& emit);
  // This thread alone, with the name and the mappings of its process.
  bool thread(pid_t tid, const Emit& emit);
  // Name and mappings of a process that is not recorded itself. Has no FORK,
  // which would make it a recorded one.
  bool unrecorded(pid_t pid, const Emit& emit);
  void all_processes(const Emit& emit);
  // All with their names and mappings, but FORKs only of `recorded` threads:
  // others are recorded only if they join these later.
  void all_processes(const std::unordered_set<pid_t>& recorded,
                     const Emit& emit);
  // The kernel's code and its modules; nothing if addresses are hidden. If
  // wanted, also its generated code: BPF programs and trampolines.
  void kernel(bool with_generated, const Emit& emit);
  // All cgroups, if the attr asks for them.
  void cgroups(const Emit& emit);

 private:
  // Threads that have a FORK.
  using IsRecorded = std::function<bool(pid_t tid)>;
  bool process(pid_t pid, const IsRecorded& is_recorded, const Emit& emit);
  bool threads(pid_t pid, const std::vector<pid_t>& tids,
               const IsRecorded& is_recorded, const Emit& emit);
  bool mappings(pid_t pid, pid_t tid, const Emit& emit);
  void namespaces(pid_t pid, const Emit& emit);
  // Raw bytes; "" if the file has none or was replaced.
  std::string_view build_id(pid_t pid, const ProcMapping& mapping);
  void kernel_modules(const Emit& emit);

  ProcEventsOptions options_;
  RecordEncoder encoder_;
  // By device and inode, so that each file is read once.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> build_ids_;
};

// Whether BPF programs are loaded, as far as this user may see.
bool has_bpf_programs();

// The current time by attr.clockid; 0 if the attr has no clock.
std::uint64_t event_clock_now(const EventAttr& attr);

// All pids in /proc, ascending; the tids of one process. Empty if it is gone.
std::vector<pid_t> list_processes(const SystemPaths& paths = {});
std::vector<pid_t> list_threads(pid_t pid, const SystemPaths& paths = {});

}  // namespace wick

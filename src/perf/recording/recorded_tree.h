// SPDX-License-Identifier: Apache-2.0
// Which processes are a recorded program and its descendants, for events that
// sample everything on a CPU: only samples of these count.
//
// The records come from events that the program inherits to its descendants,
// so they are of no other process.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "perf/recording/pid_set.h"
#include "perf/records/record.h"

namespace wick {

class RecordedTree {
 public:
  explicit RecordedTree(pid_t program)
      : program_(static_cast<std::uint32_t>(program)) {}

  // COMM, FORK, EXIT and LOST. The first COMM of the program is that of its
  // exec: until then it is a copy of the recorder.
  void visit(const PerfRecord& record);
  // The exec has happened by then, should its COMM be lost.
  void begins_before(std::uint64_t time) { latest_begin_ = time; }

  // Whether a process that is in this state at `time` belongs to the tree. One
  // that has ended runs on in the kernel for a moment, a tenth of the CPU time
  // of a short-lived one, until its pid is free for others.
  bool contains(std::uint32_t pid, std::uint64_t time, bool is_in_kernel);
  // Whether a process that it does not contain should be looked for in /proc,
  // because its FORK may be among lost records; once for each.
  bool may_miss(std::uint32_t pid) { return has_lost_ && unknown_.insert(pid); }
  // It is the child of one that the tree contains.
  void adopt(std::uint32_t pid, std::uint32_t parent);

  // Those that have not ended, ascending.
  std::vector<std::uint32_t> alive() const;
  // Threads and processes that have begun, the program's first one included.
  std::uint64_t tasks() const { return tasks_; }

 private:
  struct Process {
    // Its main thread may end before the others, and a thread that executes
    // another program takes the place of the main thread.
    std::uint32_t threads = 1;
    std::uint64_t end_time = 0;  // without any threads
  };
  void begin();
  void on_fork(const TaskRecord& fork);
  void on_exit(const TaskRecord& exit, std::uint64_t time);

  std::uint32_t program_;
  absl::flat_hash_map<std::uint32_t, Process> processes_;
  std::deque<std::uint32_t> ended_;  // by time
  std::uint64_t tasks_ = 0;
  std::uint64_t latest_begin_ = UINT64_MAX;
  bool has_lost_ = false;
  PidSet unknown_;  // has been looked for
};

}  // namespace wick

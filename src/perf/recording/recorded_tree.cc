// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recorded_tree.h"

#include <algorithm>

namespace wick {
namespace {

// How long a process may take to end. Pids are given out in turn, so a pid is
// not used again within this time.
constexpr std::uint64_t kEndNs = 100'000'000;

}  // namespace

bool RecordedTree::contains(std::uint32_t pid, std::uint64_t time,
                            bool is_in_kernel) {
  if (time >= latest_begin_) begin();
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return false;
  const Process& process = found->second;
  return process.threads > 0 ||
         (is_in_kernel && time < process.end_time + kEndNs);
}

void RecordedTree::visit(const PerfRecord& record) {
  if (record.type == RecordType::kComm) {
    const auto comm = decode_comm(record);
    if (comm && comm->pid == program_) begin();
  } else if (record.type == RecordType::kFork) {
    if (const auto fork = decode_task(record)) on_fork(*fork);
  } else if (record.type == RecordType::kExit) {
    if (const auto exit = decode_task(record)) on_exit(*exit, record.time);
  } else if (record.type == RecordType::kLost) {
    has_lost_ = true;
  }
}

void RecordedTree::begin() {
  if (tasks_ > 0) return;
  processes_[program_] = {};
  tasks_ = 1;
}

void RecordedTree::adopt(std::uint32_t pid, std::uint32_t parent) {
  on_fork({.pid = pid, .parent_pid = parent, .tid = pid, .parent_tid = parent});
}

std::vector<std::uint32_t> RecordedTree::alive() const {
  std::vector<std::uint32_t> pids;
  for (const auto& [pid, process] : processes_)
    if (process.threads > 0) pids.push_back(pid);
  std::ranges::sort(pids);
  return pids;
}

void RecordedTree::on_fork(const TaskRecord& fork) {
  const auto parent = processes_.find(fork.parent_pid);
  if (parent == processes_.end() || parent->second.threads == 0) return;
  ++tasks_;
  if (fork.pid == fork.parent_pid)
    ++parent->second.threads;
  else
    processes_[fork.pid] = {};
}

void RecordedTree::on_exit(const TaskRecord& exit, std::uint64_t time) {
  const auto found = processes_.find(exit.pid);
  if (found == processes_.end() || found->second.threads == 0) return;
  if (--found->second.threads > 0) return;
  found->second.end_time = time;
  ended_.push_back(exit.pid);
  while (true) {
    const auto oldest = processes_.find(ended_.front());
    if (oldest != processes_.end() && oldest->second.threads == 0) {
      if (oldest->second.end_time + kEndNs > time) return;
      processes_.erase(oldest);
    }
    ended_.pop_front();
  }
}

}  // namespace wick

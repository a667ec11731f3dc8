// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/known_processes.h"

namespace wick {

void KnownProcesses::on_described(const PerfRecord& record) {
  if (record.type != RecordType::kComm) return;
  if (const auto comm = decode_comm(record)) add(comm->pid);
}

void KnownProcesses::visit(const PerfRecord& record) {
  if (record.type == RecordType::kComm) {
    if (const auto comm = decode_comm(record); comm && comm->exec)
      add(comm->pid);
  } else if (record.type == RecordType::kFork) {
    if (const auto fork = decode_task(record);
        fork && is_known(fork->parent_pid))
      add(fork->pid);
  }
}

std::uint32_t KnownProcesses::newcomer(const PerfRecord& sample) {
  if (!decode_sample(sample, sample_) || !add(sample_.pid)) return 0;
  return sample_.pid;
}

// False if it is known, or no process: 0 is the idle task, -1 one that has
// ended.
bool KnownProcesses::add(std::uint32_t pid) {
  if (pid == 0 || pid > kMaxPid) return false;
  if (pid >= known_.size()) known_.resize(pid + 1);
  const bool is_new = !known_[pid];
  known_[pid] = true;
  return is_new;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/known_processes.h"

namespace wick {

void KnownProcesses::on_described(const PerfRecord& record) {
  if (record.type != RecordType::kComm) return;
  if (const auto comm = decode_comm(record)) known_.insert(comm->pid);
}

void KnownProcesses::visit(const PerfRecord& record) {
  if (record.type == RecordType::kComm) {
    if (const auto comm = decode_comm(record); comm && comm->exec)
      known_.insert(comm->pid);
  } else if (record.type == RecordType::kFork) {
    if (const auto fork = decode_task(record);
        fork && known_.contains(fork->parent_pid))
      known_.insert(fork->pid);
  }
}

std::uint32_t KnownProcesses::newcomer(const PerfRecord& sample) {
  if (!decode_sample(sample, sample_) || !known_.insert(sample_.pid)) return 0;
  return sample_.pid;
}

}  // namespace wick

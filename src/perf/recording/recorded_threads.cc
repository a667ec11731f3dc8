// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recorded_threads.h"

namespace wick {

RecordedThreads::RecordedThreads(std::string_view tracing_data)
    : formats_(read_tracing_data(tracing_data)) {
  for (const auto& format : formats_)
    if (format->name == "sched_waking") waking_ = format.get();
}

void RecordedThreads::visit(const PerfRecord& record) {
  switch (record.type) {
    case RecordType::kComm:
      if (const auto comm = decode_comm(record)) tids_.insert(comm->tid);
      break;
    case RecordType::kFork:
      if (const auto fork = decode_task(record)) tids_.insert(fork->tid);
      break;
    case RecordType::kExit:
      if (const auto exit = decode_task(record)) tids_.erase(exit->tid);
      break;
    default:
      break;
  }
}

bool RecordedThreads::are_woken_by(const PerfRecord& waking) {
  if (waking_ == nullptr || !decode_sample(waking, sample_)) return false;
  if (tids_.contains(sample_.tid)) return false;
  const TracepointField* field = waking_->field("pid");
  const auto tid =
      field == nullptr ? std::nullopt : waking_->integer(*field, sample_.raw);
  return tid && tids_.contains(static_cast<std::uint32_t>(*tid));
}

std::uint32_t RecordedThreads::new_waker() {
  return wakers_.insert(sample_.pid) ? sample_.pid : 0;
}

}  // namespace wick

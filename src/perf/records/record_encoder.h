// SPDX-License-Identifier: Apache-2.0
// Encodes records as the kernel writes them, for what happened before it
// recorded: the inverse of record.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perf/records/record.h"

namespace wick {

// Each call returns one record with its header and trailer, which lives until
// the next call.
class RecordEncoder {
 public:
  // All records get the trailer of an event with `attr`, with this id and time.
  RecordEncoder(const EventAttr& attr, std::uint64_t id, std::uint64_t time)
      : attr_(attr), id_(id), time_(time) {}

  void set_time(std::uint64_t time) { time_ = time; }
  std::uint64_t time() const { return time_; }

  std::string_view comm(const CommRecord& comm);
  // `misc` is misc::kForkExec if the process does not inherit its parent's
  // mappings; its own follow.
  std::string_view fork(const TaskRecord& task, std::uint16_t misc);
  std::string_view exit(const TaskRecord& task);
  // MMAP2, with the build id instead of the inode if there is one.
  std::string_view mmap2(const MmapRecord& mapping);
  // MMAP of the kernel's own code.
  std::string_view kernel_mmap(const MmapRecord& mapping);
  // KSYMBOL: kernel code that was generated at run time.
  std::string_view kernel_symbol(const KsymbolRecord& symbol);
  // LOST_SAMPLES of the event.
  std::string_view lost_samples(std::uint64_t count);
  std::string_view namespaces(const NamespacesRecord& namespaces);
  std::string_view cgroup(const CgroupRecord& cgroup);
  // SAMPLE with the fields of the event, of which it may have those up to the
  // stack copy but neither counters nor branches. The id and the time are the
  // encoder's; `user_registers` has those that the event asks for. A stack that
  // is too large for a record is cut.
  std::string_view sample(const PerfSample& sample, std::uint16_t misc);

 private:
  void begin(RecordType type, std::uint16_t misc);
  void task_body(const TaskRecord& task);
  void mapping_body(const MmapRecord& mapping);
  void raw(std::string_view data);
  void user_stack(std::string_view stack);
  std::string_view with_size();
  void name(std::string_view text);  // NUL-terminated, padded to 8 bytes
  std::string_view end(std::uint32_t pid, std::uint32_t tid);

  EventAttr attr_;
  std::uint64_t id_, time_;
  std::string bytes_;
};

}  // namespace wick

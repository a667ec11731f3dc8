// SPDX-License-Identifier: Apache-2.0
#include "perf/records/record_encoder.h"

#include <algorithm>

#include "base/bytes.h"

namespace wick {
namespace {

// The kernel's limit; a record has at most 64 kB.
constexpr std::size_t kMaxName = 4096;
constexpr std::size_t kMaxBuildId = 20;

}  // namespace

void RecordEncoder::begin(RecordType type, std::uint16_t misc) {
  bytes_.clear();
  append_raw(bytes_, static_cast<std::uint32_t>(type));
  append_raw(bytes_, misc);
  append_raw(bytes_, std::uint16_t{0});  // the size, known at the end
}

void RecordEncoder::name(std::string_view text) {
  text = text.substr(0, std::min(text.find('\0'), kMaxName - 1));
  bytes_ += text;
  bytes_.resize(bytes_.size() / 8 * 8 + 8);
}

std::string_view RecordEncoder::end(std::uint32_t pid, std::uint32_t tid) {
  using namespace sample_type;
  if (attr_.sample_id_all()) {
    if (attr_.samples(kTid)) {
      append_raw(bytes_, pid);
      append_raw(bytes_, tid);
    }
    if (attr_.samples(kTime)) append_raw(bytes_, time_);
    if (attr_.samples(kId)) append_raw(bytes_, id_);
    if (attr_.samples(kStreamId)) append_raw(bytes_, id_);
    if (attr_.samples(kCpu)) append_raw(bytes_, std::uint64_t{0});
    if (attr_.samples(kIdentifier)) append_raw(bytes_, id_);
  }
  return with_size();
}

std::string_view RecordEncoder::with_size() {
  const auto size = static_cast<std::uint16_t>(bytes_.size());
  std::memcpy(bytes_.data() + 6, &size, sizeof(size));
  return bytes_;
}

// The fields in the order of the kernel's perf_output_sample().
std::string_view RecordEncoder::sample(const PerfSample& sample,
                                       std::uint16_t misc) {
  using namespace sample_type;
  begin(RecordType::kSample, misc);
  const auto put = [&](std::uint64_t bit, auto... values) {
    if (attr_.samples(bit)) (append_raw(bytes_, values), ...);
  };
  put(kIdentifier, id_);
  put(kIp, sample.ip);
  put(kTid, sample.pid, sample.tid);
  put(kTime, time_);
  put(kAddr, sample.addr);
  put(kId, id_);
  put(kStreamId, id_);
  put(kCpu, sample.cpu, std::uint32_t{0});
  put(kPeriod, sample.period);
  put(kCallchain, std::uint64_t{sample.callchain.size()});
  if (attr_.samples(kCallchain))
    for (const std::uint64_t entry : sample.callchain)
      append_raw(bytes_, entry);
  if (attr_.samples(kRaw)) raw(sample.raw);
  put(kRegsUser, sample.user_registers.abi);
  if (attr_.samples(kRegsUser) && sample.user_registers.abi != kRegsAbiNone)
    for (const std::uint64_t value : sample.user_registers.values)
      append_raw(bytes_, value);
  if (attr_.samples(kStackUser)) user_stack(sample.user_stack);
  return with_size();
}

void RecordEncoder::raw(std::string_view data) {
  const std::size_t whole = (data.size() + 4 + 7) / 8 * 8 - 4;
  append_raw(bytes_, static_cast<std::uint32_t>(whole));
  bytes_ += data;
  bytes_.append(whole - data.size(), '\0');
}

void RecordEncoder::user_stack(std::string_view stack) {
  constexpr std::size_t kMaxRecord = 65528, kSizes = 16;
  const std::size_t used = std::min(kMaxRecord, bytes_.size() + kSizes);
  stack = stack.substr(0, kMaxRecord - used);
  const std::size_t whole = (stack.size() + 7) / 8 * 8;
  append_raw(bytes_, std::uint64_t{whole});
  bytes_ += stack;
  bytes_.append(whole - stack.size(), '\0');
  if (whole > 0) append_raw(bytes_, std::uint64_t{stack.size()});
}

std::string_view RecordEncoder::comm(const CommRecord& comm) {
  begin(RecordType::kComm, comm.exec ? misc::kCommExec : 0);
  append_raw(bytes_, comm.pid);
  append_raw(bytes_, comm.tid);
  name(comm.name);
  return end(comm.pid, comm.tid);
}

void RecordEncoder::task_body(const TaskRecord& task) {
  append_raw(bytes_, task.pid);
  append_raw(bytes_, task.parent_pid);
  append_raw(bytes_, task.tid);
  append_raw(bytes_, task.parent_tid);
  append_raw(bytes_, task.time);
}

std::string_view RecordEncoder::fork(const TaskRecord& task,
                                     std::uint16_t misc) {
  begin(RecordType::kFork, misc);
  task_body(task);
  return end(task.pid, task.tid);
}

std::string_view RecordEncoder::exit(const TaskRecord& task) {
  begin(RecordType::kExit, 0);
  task_body(task);
  return end(task.pid, task.tid);
}

void RecordEncoder::mapping_body(const MmapRecord& mapping) {
  append_raw(bytes_, mapping.pid);
  append_raw(bytes_, mapping.tid);
  append_raw(bytes_, mapping.start);
  append_raw(bytes_, mapping.size);
  append_raw(bytes_, mapping.page_offset);
}

std::string_view RecordEncoder::mmap2(const MmapRecord& mapping) {
  std::uint16_t bits = misc::kUser;
  if (mapping.is_data) bits |= misc::kMmapData;
  if (!mapping.build_id.empty()) bits |= misc::kMmapBuildId;
  begin(RecordType::kMmap2, bits);
  mapping_body(mapping);
  if (!mapping.build_id.empty()) {
    const std::string_view id = mapping.build_id.substr(0, kMaxBuildId);
    append_raw(bytes_, static_cast<std::uint32_t>(id.size()) & 0xff);
    bytes_ += id;
    bytes_.append(kMaxBuildId - id.size(), '\0');
  } else {
    append_raw(bytes_, mapping.dev_major);
    append_raw(bytes_, mapping.dev_minor);
    append_raw(bytes_, mapping.inode);
    append_raw(bytes_, mapping.inode_generation);
  }
  append_raw(bytes_, mapping.protection);
  append_raw(bytes_, mapping.flags);
  name(mapping.path);
  return end(mapping.pid, mapping.tid);
}

std::string_view RecordEncoder::kernel_mmap(const MmapRecord& mapping) {
  begin(RecordType::kMmap, misc::kKernel);
  mapping_body(mapping);
  name(mapping.path);
  return end(mapping.pid, mapping.tid);
}

std::string_view RecordEncoder::namespaces(const NamespacesRecord& namespaces) {
  begin(RecordType::kNamespaces, 0);
  append_raw(bytes_, namespaces.pid);
  append_raw(bytes_, namespaces.tid);
  append_raw(bytes_, std::uint64_t{namespaces.count});
  for (std::uint32_t i = 0; i < namespaces.count; ++i) {
    append_raw(bytes_, namespaces.links[i].dev);
    append_raw(bytes_, namespaces.links[i].inode);
  }
  return end(namespaces.pid, namespaces.tid);
}

std::string_view RecordEncoder::kernel_symbol(const KsymbolRecord& symbol) {
  begin(RecordType::kKsymbol, 0);
  append_raw(bytes_, symbol.start);
  append_raw(bytes_, symbol.size);
  append_raw(bytes_, symbol.type);
  append_raw(bytes_, static_cast<std::uint16_t>(symbol.unregister ? 1 : 0));
  name(symbol.name);
  return end(0, 0);
}

std::string_view RecordEncoder::lost_samples(std::uint64_t count) {
  begin(RecordType::kLostSamples, 0);
  append_raw(bytes_, count);
  return end(0, 0);
}

std::string_view RecordEncoder::cgroup(const CgroupRecord& cgroup) {
  begin(RecordType::kCgroup, 0);
  append_raw(bytes_, cgroup.id);
  name(cgroup.path);
  return end(0, 0);
}

}  // namespace wick

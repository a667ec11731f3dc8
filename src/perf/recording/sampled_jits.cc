// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/sampled_jits.h"

#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace wick {

SampledJits::JitProcess* SampledJits::process(std::uint32_t pid) {
  const auto known = running_.find(pid);
  if (known != running_.end()) return &known->second;
  if (!memory_.take(2 * sizeof(JitProcess))) return nullptr;
  JitProcess& made = running_[pid];
  made.pid = pid;
  if (roots_ < most_roots_) {
    made.root = ProcessRoot::open(pid);
    if (made.root.is_open()) ++roots_;
  }
  return &made;
}

void SampledJits::add(std::uint32_t pid, std::uint64_t address,
                      std::uint64_t time) {
  JitProcess* of = process(pid);
  if (of == nullptr || !of->addresses.add(address, memory_)) {
    ++omitted_;
    return;
  }
  if (of->from == 0) of->from = time;
  of->until = std::max(of->until, time);
  // Its map may not have been written yet.
  if (std::has_single_bit(++of->samples) && !of->map_file && of->root.is_open())
    of->map_file = open_perf_map(pid, of->root);
}

void SampledJits::announce_jitdump(std::uint32_t pid, std::string_view path) {
  JitProcess* of = process(pid);
  if (of == nullptr || of->dumps.size() >= kMostDumps ||
      std::ranges::find(of->dumps, path) != of->dumps.end() ||
      !memory_.take(path.size() + sizeof(std::string)))
    return;
  const bool is_opened =
      of->root.is_open() && of->dumps.size() < kMostEarlyDumps;
  of->dumps.emplace_back(path);
  of->dump_files.push_back(is_opened ? open_jitdump(of->dumps.back(), of->root)
                                     : UniqueFd());
}

// A program may replace its files. Once its namespace is gone, the names in its
// root lead to another file system.
UniqueFd SampledJits::latest(UniqueFd before, UniqueFd now) {
  struct stat old {};
  struct stat current {};
  const bool is_on_same_disk =
      now && before && ::fstat(before.get(), &old) == 0 &&
      ::fstat(now.get(), &current) == 0 && old.st_dev == current.st_dev;
  if (!before || is_on_same_disk) return now;
  return before;
}

void SampledJits::open_files(JitProcess& process) {
  process.map_file = latest(std::move(process.map_file),
                            open_perf_map(process.pid, process.root));
  for (std::size_t i = 0; i < process.dumps.size(); ++i)
    process.dump_files[i] =
        latest(std::move(process.dump_files[i]),
               open_jitdump(process.dumps[i], process.root));
  process.root = {};
}

void SampledJits::process_ended(std::uint32_t pid) {
  const auto at = running_.find(pid);
  if (at == running_.end()) return;
  JitProcess process = std::move(at->second);
  running_.erase(at);
  if (process.root.is_open()) --roots_;
  if (process.addresses.rows().empty()) return;
  open_files(process);
  ended_.push_back(std::move(process));
  if (ended_.size() <= most_ended_) return;
  keep_functions(ended_.front());
  ended_.pop_front();
}

void SampledJits::keep_functions(JitProcess& process) {
  keep_functions(process, process.map_file, "");
  for (std::size_t i = 0; i < process.dump_files.size(); ++i)
    keep_functions(process, process.dump_files[i], process.dumps[i]);
}

// Of its perf map if `dump_path` is empty.
void SampledJits::keep_functions(const JitProcess& process,
                                 const UniqueFd& from, std::string dump_path) {
  if (!from) return;
  const std::vector<AddressCounts::Row>& rows = process.addresses.rows();
  if (functions_.size() == KeptNames::kMostJitFiles) {
    omitted_ += rows.size();
    return;
  }
  const bool is_jitdump = !dump_path.empty();
  MemoryAccount reading(reading_, reading_->limit() / 2);
  const auto read =
      is_jitdump ? read_jitdump(from, reading) : read_perf_map(from, reading);
  if (!read) return;
  SampledJitFile sampled;
  std::vector<std::uint64_t> addresses;
  for (const AddressCounts::Row& row : rows)
    if (read->map.find(row.address)) {
      sampled.addresses.push_back(row);
      addresses.push_back(row.address);
    }
  // Any of the others may be in what was not read.
  if (!read->is_complete) omitted_ += rows.size() - addresses.size();
  if (addresses.empty()) return;
  std::string content = read->map.excerpt(addresses);
  if (!memory_.take(content.size())) {
    omitted_ += addresses.size();
    return;
  }
  sampled.file = {.pid = process.pid,
                  .from = process.from,
                  .until = process.until,
                  .is_jitdump = is_jitdump,
                  .path = std::move(dump_path),
                  .content = std::move(content)};
  functions_.push_back(std::move(sampled));
}

std::vector<SampledJitFile> SampledJits::take_functions() {
  std::vector<std::uint32_t> pids;
  for (const auto& [pid, process] : running_) pids.push_back(pid);
  std::ranges::sort(pids);
  for (const std::uint32_t pid : pids) process_ended(pid);
  for (JitProcess& process : ended_) keep_functions(process);
  ended_.clear();
  return std::move(functions_);
}

}  // namespace wick

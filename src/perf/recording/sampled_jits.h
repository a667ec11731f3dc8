// SPDX-License-Identifier: Apache-2.0
// The addresses at which samples found code that no file has: functions that
// processes compiled while they ran. Their names are in a perf map or a
// jitdump, which may be complete only when the process ends, and out of reach
// from then on: it is in the file system of a container that ends with the
// process. So the root directory of the process is held while it runs, and so
// are its files, once they exist; when it ends, they are opened again by name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/memory_budget.h"
#include "io/open_files.h"
#include "io/unique_fd.h"
#include "object/jit/jit_files.h"
#include "object/kept_names.h"
#include "perf/recording/sampled_files.h"

namespace wick {

struct SampledJitFile {
  KeptJitFile file;
  // Those of samples at which it has functions.
  std::vector<AddressCounts::Row> addresses;
};

class SampledJits {
 public:
  // Addresses and names take from `memory`, which outlives it, and files while
  // they are read from `reading`, half of it at most for one.
  SampledJits(MemoryAccount& memory, std::shared_ptr<MemoryBudget> reading)
      : memory_(memory), reading_(std::move(reading)) {}

  void add(std::uint32_t pid, std::uint64_t address, std::uint64_t time);
  // The process mapped its jitdump.
  void announce_jitdump(std::uint32_t pid, std::string_view path);
  void process_ended(std::uint32_t pid);

  // The functions at all those addresses.
  std::vector<SampledJitFile> take_functions();

  std::uint64_t omitted() const { return omitted_; }

 private:
  // Roots and files that are open at the same time; processes beyond that have
  // their files found by path.
  const std::size_t most_roots_ = open_files_share(16, 128);
  const std::size_t most_ended_ = open_files_share(16, 64);
  static constexpr std::size_t kMostDumps = 16;  // of one process
  static constexpr std::size_t kMostEarlyDumps = 2;

  struct JitProcess {
    std::uint32_t pid = 0;
    std::uint64_t from = 0, until = 0;
    ProcessRoot root;
    AddressCounts addresses;
    std::vector<std::string> dumps;  // paths
    std::uint64_t samples = 0;
    UniqueFd map_file;                 // not open: not found so far
    std::vector<UniqueFd> dump_files;  // the same for each of `dumps`
  };
  JitProcess* process(std::uint32_t pid);
  static UniqueFd latest(UniqueFd before, UniqueFd now);
  static void open_files(JitProcess& process);
  void keep_functions(JitProcess& process);
  void keep_functions(const JitProcess& process, const UniqueFd& from,
                      std::string dump_path);

  MemoryAccount& memory_;
  std::shared_ptr<MemoryBudget> reading_;
  std::unordered_map<std::uint32_t, JitProcess> running_;
  std::size_t roots_ = 0;
  std::deque<JitProcess> ended_;  // not read yet
  std::vector<SampledJitFile> functions_;
  std::uint64_t omitted_ = 0;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What the records other than samples tell: the processes and threads of the
// moment, their names, and where code is mapped in them and in the kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "object/images.h"
#include "perf/records/record.h"
#include "perf/session/process.h"

namespace wick {

// The file that a process mapped.
CodeFile mapped_file(const MmapRecord& mmap);

class SideBand {
 public:
  static constexpr std::string_view kKernelPath = "[kernel.kallsyms]";
  static constexpr std::string_view kBpfPath = "[bpf]";

  // `before_change` is called before the map of a process changes or
  // disappears: the last chance to look something up in it.
  using BeforeChange = std::function<void(Space&)>;
  // A recorder gives the `memory` for processes and threads; it needs no names
  // of compiled functions. Null: no limit.
  SideBand(Images& images, BeforeChange before_change,
           std::shared_ptr<MemoryBudget> memory = nullptr);

  // Build ids from the header of the file.
  void add_build_id(std::string path, std::string build_id);

  // Takes MMAP, MMAP2, COMM, FORK, EXIT and KSYMBOL. False if the record is
  // damaged.
  bool visit(const PerfRecord& record);

  Space& space(std::uint32_t pid) { return tasks_.space(pid); }
  // A process was seen in user code, so its new program runs.
  void runs(Space& space);
  Task& task(std::uint32_t pid, std::uint32_t tid) {
    return tasks_.task(pid, tid);
  }
  Tasks& tasks() { return tasks_; }
  const Tasks& tasks() const { return tasks_; }

  Space& kernel() { return kernel_; }
  // For addresses of the kernel that nothing is mapped at.
  ImageId kernel_image();
  // The runtime address of the kernel's _text.
  std::uint64_t kernel_start() const { return kernel_start_; }

  // Mappings and processes beyond the limits against hostile files.
  std::uint64_t refused() const { return refused_; }
  // Forgets images that are mapped nowhere.
  void forget_unmapped_images();

 private:
  void on_mmap(const MmapRecord& mmap, std::uint16_t cpu_mode);
  void on_kernel_mmap(const MmapRecord& mmap);
  void on_kernel_symbol(const KsymbolRecord& symbol);
  void on_fork(const TaskRecord& fork, bool is_real);
  void on_exit(const TaskRecord& exit);
  void map_code(Space& space, const MmapRecord& mmap);
  void announce_jitdump(Space& space, const MmapRecord& mmap);
  ImageId image_of(const MmapRecord& mmap);
  // The bytes of all mappings and the names of their files.
  std::uint64_t claim_of(const Space& space) const;
  std::string known_build_id(const std::string& path) const;
  void changed(Space& space);

  Images& images_;
  BeforeChange before_change_;
  bool wants_jit_names_;
  JitRulesLimits jit_rules_limits_;
  std::unordered_map<std::string, std::string> build_ids_;
  Tasks tasks_;
  Space kernel_;
  std::uint64_t kernel_start_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace wick

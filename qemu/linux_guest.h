// SPDX-License-Identifier: Apache-2.0
// Which thread runs on a vCPU, from the guest kernel's own data: in the kernel,
// RISC-V Linux keeps the running task_struct in tp. From there, a few pointers
// lead to the name, the ids and the mapped files. Their offsets come from a
// file with lines such as "task.pid 1512", which `wick kernel-offsets VMLINUX`
// writes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "guest.h"
#include "itrace/formats/instruction.h"

namespace wick_qemu {

// The thread last seen on a vCPU.
struct ThreadState {
  std::uint64_t task = 0, mm = 0, satp = 0;
  std::int32_t pid = -1, tid = -1;
  std::string name;
  std::vector<wick::SideBandFact> news;  // not in the trace yet
};

class LinuxGuest {
 public:
  // Returns what is wrong with the file, or "".
  std::string load(const std::string& path);
  bool ready() const { return !offsets_.empty(); }

  // Call it in the kernel. `leaving`: it returns to the program, whose mappings
  // may have changed.
  void look(Guest& guest, ThreadState& state, bool leaving);
  // Tracing starts: everything known is news again.
  void tell_again(ThreadState& state);

 private:
  struct Mapping {
    std::uint64_t start, end, file_off;
    std::string path;
    auto operator<=>(const Mapping&) const = default;
  };
  struct Space {  // of one mm_struct
    std::uint64_t satp = 0;
    std::int32_t pid = -1;
    std::uint64_t exec_vm = 0, map_count = 0;
    unsigned told = 0;  // generation
    std::set<Mapping> mappings;
  };

  std::uint64_t at(const char* name) const { return offsets_.at(name); }
  bool has(const char* name) const { return offsets_.contains(name); }
  void read_thread(Guest& guest, ThreadState& state);
  void read_mappings(Guest& guest, ThreadState& state);
  std::vector<Mapping> walk(Guest& guest, std::uint64_t mm) const;
  void add_area(Guest& guest, std::uint64_t area, std::uint64_t vdso,
                std::vector<Mapping>& out) const;
  std::string path_of(Guest& guest, std::uint64_t file) const;

  std::map<std::string, std::uint64_t> offsets_;
  std::mutex mutex_;
  unsigned generation_ = 1;
  std::map<std::uint64_t, Space> spaces_;  // by the address of mm_struct
};

}  // namespace wick_qemu

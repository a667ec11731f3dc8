// SPDX-License-Identifier: Apache-2.0
// What to record, and how.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/output_name.h"

namespace wick {

struct RecordOptions {
  // Either a program with its children, or one of the four targets after it. A
  // program beside a target is not recorded; the recording ends with it.
  std::vector<std::string> program;
  std::string folder;            // where it runs; empty: the current one
  std::vector<pid_t> processes;  // with all their threads and descendants
  std::vector<pid_t> threads;    // these alone
  bool system_wide = false;
  std::string cgroup;
  std::vector<int> cpus;  // only on these; empty: all
  bool children = true;   // of the program or the processes, as well

  std::string events;        // "": cycles, or cpu-clock where there are none
  std::string filter;        // of tracepoints, in the kernel's syntax
  int frequency = 997;       // samples per second, or
  std::uint64_t period = 0;  // one sample per this many events

  enum class CallGraph : std::uint8_t { kAuto, kDwarf, kFramePointers, kNone };
  CallGraph call_graph = CallGraph::kAuto;
  std::uint32_t stack_size = 0;  // bytes of stack; 0: what the buffers carry
  bool keep_stacks = false;      // in the file, instead of unwinding now
  bool keep_names = true;        // of functions, in the file
  bool user_only = false;        // no kernel code
  bool off_cpu = false;          // when, where and why threads leave the CPU
  bool wakers = false;           // with off_cpu: who wakes them
  // Of threads that leave the CPU; else the kernel follows frame pointers.
  bool copies_at_switches = true;

  int clock = 1;                // CLOCK_MONOTONIC, which jitdumps use
  std::size_t buffer_size = 0;  // bytes for each CPU; 0: as many as allowed
  // Bytes that may be held for recorded programs; see recording_memory.h.
  std::uint64_t memory = kDefaultMemory;
  static constexpr std::uint64_t kDefaultMemory = std::uint64_t{256} << 20;
  static constexpr std::uint64_t kLeastMemory = std::uint64_t{16} << 20;
  int compression = 0;  // zstd level, 1 to 22; 0: none
  double duration = 0;  // seconds; 0: until it ends or is stopped
  double delay = 0;     // seconds before the first sample
  OutputName output = OutputName::chosen("wick.data");
  std::vector<std::string> command_line;  // of wick, for the file
  std::string recorder = "wick";          // with its version, for the file

  // Whether the program itself is recorded, rather than ending the recording
  // of something else.
  bool records_program() const {
    return !program.empty() && !system_wide && cgroup.empty() &&
           processes.empty() && threads.empty();
  }
  // Whether the kernel copies stacks, and whether they are unwound while
  // recording.
  bool copies_stacks() const {
    return call_graph == CallGraph::kDwarf || call_graph == CallGraph::kAuto;
  }
  bool unwinds_stacks() const { return copies_stacks() && !keep_stacks; }
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Recording: perf events of a program, of processes or of the whole machine,
// into a perf.data file.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profile/diagnostics.h"

namespace wick {

struct RecordOptions {
  // What to record: a program with its children, or one of the following, then
  // for as long as the program runs, if there is one:
  std::vector<std::string> program;
  std::string folder;            // where it runs; empty: where wick does
  std::vector<pid_t> processes;  // with all their threads and children, or
  std::vector<pid_t> threads;    // these alone, or
  bool system_wide = false;      // everything
  std::vector<int> cpus;         // only on these; empty: all
  std::string cgroup;            // only of this control group

  std::string events;        // "": cycles, or cpu-clock where there are none
  std::string filter;        // of tracepoints, in the kernel's words
  int frequency = 997;       // samples per second, or
  std::uint64_t period = 0;  // a sample every so many events

  enum class CallGraph : std::uint8_t { kAuto, kDwarf, kFramePointers, kNone };
  CallGraph call_graph = CallGraph::kAuto;
  std::uint32_t stack_size = 0;  // bytes of stack; 0: what the buffers carry
  bool keep_stacks = false;      // in the file, instead of unwinding now
  bool user_only = false;        // no kernel code
  bool off_cpu = false;          // when, where and why threads leave the CPU
  bool wakers = false;           // with it: who lets them go on

  int clock = 1;                // CLOCK_MONOTONIC, which jitdumps use
  std::size_t buffer_size = 0;  // bytes for each CPU; 0: as many as allowed
  int compression = 0;          // 1 to 22: of zstd
  double duration = 0;          // seconds; 0: until it ends or is stopped
  double delay = 0;             // seconds before the first sample
  std::string output = "wick.data";
  std::vector<std::string> command_line;  // of wick, for the file
  std::string recorder = "wick";          // with its version, for the file
};

// What happened so far.
struct RecordProgress {
  std::chrono::milliseconds elapsed{};
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;       // the kernel had no room for
  std::uint64_t throttles = 0;  // times the kernel paused
  std::uint64_t bytes = 0;      // of the file
};

struct RecordResult : RecordProgress {
  std::vector<std::string> events;  // what was sampled by, as it was opened
  std::uint32_t stack_size = 0;     // of copies; 0 if there were none
  Diagnostics stacks;               // what unwinding met
  std::vector<std::string> notes;   // what could not be had, a sentence each
  bool has_no_cycles = false;       // cpu-clock is used instead
  bool interrupted = false;         // by stop_recording()
  int program_status = 0;           // as waitpid gives it
  // The program, if it did not end with the recording.
  pid_t running_program = 0;
  // The file could not be written on; "" if it could. What stands in it can be
  // read, and so many samples of `samples` do not.
  std::string write_error;
  std::uint64_t unwritten = 0;
};

// Fails if nothing can be recorded; says what to do. `progress` is called
// several times a second.
RecordResult record(const RecordOptions& options,
                    const std::function<void(const RecordProgress&)>& progress);

// Ends a recording orderly. May be called in a signal handler.
void stop_recording();

}  // namespace wick

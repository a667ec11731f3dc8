// SPDX-License-Identifier: Apache-2.0
// Driving a real perf: `perf record` with a program, a process or the whole
// machine; wick reads what it wrote. PERF in the environment names another
// perf.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profile/format.h"

namespace wick {

struct PerfOptions {
  std::vector<std::string> program;  // what to run, or
  std::string pids, tids;            // "1,2": what to attach to, or
  bool system_wide = false;          // everything
  int frequency = 997;               // samples per second, or
  int count = 0;                     // a sample every so many events
  std::string call_graph = "fp";
  int compression = 0;  // level of perf's zstd; 0: none
  // Others in perf's words: {"-e", "page-faults"}.
  std::vector<std::string> more;
  std::string command;    // perf's own words: "record -e cycles -g"
  double duration = 0;    // seconds, without a program; 0: until Ctrl-C
  std::string data_path;  // keep perf.data here
  std::optional<std::string> sudo;  // run perf by sudo, with these flags
  bool verbose = false;             // say which programs are run
  bool quiet = false;               // show no progress
};

struct PerfRun {
  Profile profile;
  int program_status = 0;    // as waitpid gives it
  bool interrupted = false;  // Ctrl-C ended the recording
};

// Records and reads. Fails with what to do if there is no perf, the kernel does
// not allow it, or there is no such program.
PerfRun record_with_perf(const PerfOptions& perf, const ReadOptions& read);

}  // namespace wick

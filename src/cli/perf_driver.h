// SPDX-License-Identifier: Apache-2.0
// Recording with a real perf: runs `perf record` with a program, a process or
// the whole machine, and reads what it wrote. PERF in the environment names
// another perf.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options/option_set.h"
#include "cli/record_arguments.h"
#include "profile/format.h"

namespace wick {

struct PerfOptions {
  std::vector<std::string> program;  // empty: RecordArguments has a target
  std::string folder;     // where the program runs; "": the current directory
  std::string command;    // perf's own arguments: "record -e cycles"
  std::string data_path;  // keep perf.data here
  std::optional<std::string> sudo;  // run perf with sudo and these flags
  bool verbose = false;             // print the programs that are run
  bool quiet = false;               // show no progress

  // Whether a real perf must record: for its own arguments, as another user, or
  // because the environment names one.
  bool is_wanted() const;
};

struct PerfRun {
  Profile profile;
  int program_status = 0;    // as from waitpid
  bool interrupted = false;  // Ctrl-C ended the recording
};

// Fails if one of the `options` given has no effect with a real perf, or would
// contradict perf's own arguments. `command` is the command of wick.
void check_options_of_perf(std::span<Option* const> options,
                           const PerfOptions& perf, std::string_view command);

// Records and reads. Fails if there is no perf, the kernel does not allow it,
// or there is no such program, and says what to do.
PerfRun record_with_perf(const PerfOptions& perf,
                         const RecordArguments& recording,
                         const ReadOptions& read);

}  // namespace wick

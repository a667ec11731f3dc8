// SPDX-License-Identifier: Apache-2.0
// The options of a recording, for the commands that record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "perf/recording/recorder.h"

namespace wick {

// As they stand on the command line.
struct RecordArguments {
  std::string pids, tids, cpus, cgroup, events, filter;
  bool system_wide = false, user_only = false, keep_stacks = false,
       off_cpu = false, wakers = false, wall = false;
  int frequency = 997;
  double period = 0;
  std::string call_graph = "auto", clock = "monotonic", buffer;
  std::string compression;
  double duration = 0, delay = 0;

  // Whether something to record is named, besides a program.
  bool has_target() const {
    return !pids.empty() || !tids.empty() || system_wide || !cgroup.empty();
  }
  int compression_level() const;
  // Fails if a value has no meaning.
  RecordOptions resolved(const std::vector<std::string>& program) const;
};

// What is called otherwise where drawing has options of these names.
struct RecordOptionNames {
  std::string event = "-e,--event", period = "-c,--count",
              clock = "-k,--clockid";
  bool targets = true;  // -p, -t, -a, --cgroup
};
std::vector<Option*> add_record_options(OptionSet& app,
                                        RecordArguments& options,
                                        const RecordOptionNames& names);

// Records, with a line of progress on a terminal; Ctrl-C ends it orderly, a
// second one aborts. Says what could not be had.
RecordResult run_recording(const RecordOptions& options, const RunOptions& run);

// Fails if the recording could not be written to its end; says what is left,
// and the option that writes it `elsewhere`.
void check_written(const RecordResult& result, std::string_view elsewhere);
// Says how the program ended if it did not end well, or that it still runs.
void say_ends(const RecordResult& result, const RunOptions& run);
// "of cpu-clock (cycles cannot be counted here) with up to 62 kB of stack".
std::string recorded_text(const RecordResult& result);

}  // namespace wick

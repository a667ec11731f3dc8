// SPDX-License-Identifier: Apache-2.0
// The options of a recording, for the commands that record.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option_set.h"
#include "perf/recording/record_options.h"

namespace wick {

// As on the command line.
struct RecordArguments {
  std::string pids, tids, cpus, cgroup, events, filter;
  bool system_wide = false, user_only = false, keep_stacks = false,
       no_names = false, off_cpu = false, wakers = false, wall = false,
       no_children = false;
  int frequency = 997;
  double period = 0;
  std::string call_graph = "auto", clock = "monotonic", buffer;
  std::string compression, memory = "256M";
  double duration = 0, delay = 0;

  // Whether there is something to record besides a program.
  bool has_target() const {
    return !pids.empty() || !tids.empty() || system_wide || !cgroup.empty();
  }
  int compression_level() const;
  // Fails if a value is invalid.
  RecordOptions resolved(const std::vector<std::string>& program) const;
};

// "1,2"; fails if one does not exist. `what` they are: "process", "thread".
std::vector<pid_t> parse_ids(std::string_view text, std::string_view option,
                             std::string_view what);

// Other names where options for drawing have these.
struct RecordOptionNames {
  std::string event = "-e,--event", period = "-c,--count",
              clock = "-k,--clockid";
  bool targets = true;  // -p, -t, -a, --cgroup
};
std::vector<Option*> add_record_options(OptionSet& app,
                                        RecordArguments& options,
                                        const RecordOptionNames& names);

}  // namespace wick

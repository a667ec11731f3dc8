// SPDX-License-Identifier: Apache-2.0
// Recording a program and drawing it at once, for the commands that do both.
#pragma once

#include <string>
#include <vector>

#include "cli/perf_driver.h"
#include "cli/picture.h"
#include "cli/record_arguments.h"
#include "perf/recording/recorder.h"

namespace wick {

struct FlameRun {
  std::string command = "flame";   // for messages
  std::vector<std::string> typed;  // everything after "wick"
  Picture picture;
  RecordArguments recording;
  PerfOptions perf;  // the program, and how to run a real perf
  std::vector<Option*> recording_options;  // as declared
  bool exit_status = false;

  // Records perf.program, or the target of `recording`, draws it, and returns
  // the exit status.
  int record(const OutputFormat& format);

 private:
  void check_use() const;
  PerfRun record_by_perf();
  PerfRun record_here();
  void check_has_samples(const Profile& profile) const;
  void choose_event();
  void check_event() const;
  Profile selected(Profile recorded);

  RecordResult result_;         // of a recording without perf
  std::string recorded_event_;  // "of cpu-clock"
};

// Returns those that make no sense without a recording.
std::vector<Option*> add_record_options(OptionSet& app, FlameRun& flame,
                                        RecordOptionNames names);

}  // namespace wick

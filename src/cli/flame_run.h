// SPDX-License-Identifier: Apache-2.0
// Recording a program and drawing it at once, for the commands that do both.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/perf_driver.h"
#include "cli/record_arguments.h"

namespace wick {

struct FlameRun {
  std::string command = "flame";   // who complains
  std::vector<std::string> typed;  // everything behind "wick"
  InputOptions input;
  OutputOptions output;
  WriteOptions write;
  RunOptions run;
  RecordArguments recording;
  PerfOptions perf;  // the program; and where a real perf is wanted
  std::vector<Option*> recording_options;  // as they are declared
  std::string folder;  // where the program runs; empty: where wick does
  std::string post_process;
  std::string baseline;  // drawn as the difference from this input
  bool open = false, exit_status = false;

  // Records perf.program, or what `recording` names, draws it, and gives the
  // exit status.
  int record(const OutputFormat& format);
  void keep_events_for(const OutputFormat& format);
  // Draws to `path`, and tells so if `tell`.
  void draw(Profile profile, const OutputFormat& format,
            const std::string& path, bool tell);

 private:
  Profile difference_from_baseline(Profile after);
  void check_use() const;
  bool wants_perf() const;
  PerfRun record_by_perf();
  void check_options_of_perf() const;
  std::vector<std::string> more_words_of_perf() const;
  PerfRun record_here();
  RecordResult result_;         // of a recording without perf
  std::string recorded_event_;  // "of cpu-clock", once it is recorded
};

// Output and what belongs to it; what a recording is made by; how it is drawn.
void add_picture_options(OptionSet& app, FlameRun& flame);
// Returns those that make no sense without a recording.
std::vector<Option*> add_record_options(OptionSet& app, FlameRun& flame,
                                        RecordOptionNames names);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Running a recording, and reporting on it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/run_options.h"
#include "perf/recording/recorder.h"

namespace wick {

// Records, with a line of progress on a terminal. Ctrl-C ends the recording
// cleanly, a second one aborts. Prints what could not be recorded.
RecordResult run_recording(const RecordOptions& options, const RunOptions& run);

// Fails if the recording could not be written to its end; says what is left,
// and the option that writes it `elsewhere`.
void check_written(const RecordResult& result, std::string_view elsewhere);
// Reports a program that failed or that is still running.
void say_ends(const RecordResult& result, const RunOptions& run);
// Names processes that outlived the program, and what records them.
std::string survivors_text(const std::vector<NamedProcess>& survivors);
// "of cpu-clock (cycles cannot be counted here) with up to 62 kB of stack".
std::string recorded_text(const RecordResult& result);
// Why a recording has no samples. `more` is what takes more: "higher -F".
std::string no_samples_text(bool on_some_cpus, std::string_view more);

}  // namespace wick

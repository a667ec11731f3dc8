// SPDX-License-Identifier: Apache-2.0
// Records perf events of a program, of processes or of the whole machine into a
// perf.data file.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "perf/recording/record_options.h"
#include "perf/recording/stop_request.h"
#include "profile/diagnostics.h"

namespace wick {

struct RecordProgress {
  std::chrono::milliseconds elapsed{};
  std::uint64_t samples = 0;
  std::uint64_t lost = 0;       // records the kernel had no room for
  std::uint64_t throttles = 0;  // times the kernel paused sampling
  std::uint64_t bytes = 0;      // size of the file
};

struct NamedProcess {
  pid_t pid = 0;
  std::string name;
};

struct RecordResult : RecordProgress {
  std::vector<std::string> events;  // that have samples, or else the first
  std::uint32_t stack_size = 0;     // of its stack copies; 0 without any
  // Of those at switches, in the end; 0 without any.
  std::uint32_t switch_stack_size = 0;
  Diagnostics diagnostics;  // what was damaged or not unwound
  // How the recording falls short of the options, a sentence each.
  std::vector<std::string> limitations;
  bool has_no_cycles = false;  // cpu-clock is used instead
  bool interrupted = false;    // by a StopRequest
  int program_status = 0;      // as from waitpid
  pid_t running_program = 0;   // if it outlives the recording
  // Descendants of the program that still run when the recording ends.
  std::vector<NamedProcess> survivors;
  // Why the file could not be written to the end; "" if it could. What is in it
  // can be read; `unwritten` of `samples` are not.
  std::string write_error;
  std::uint64_t unwritten = 0;
};

// Fails, with advice, if nothing can be recorded. `progress` may be empty; it
// is called several times a second. Recordings in several threads do not
// disturb each other. A file size limit (RLIMIT_FSIZE) kills the process unless
// SIGXFSZ is ignored; it then ends the recording as a full disk does.
RecordResult record(const RecordOptions& options, const StopRequest& stop,
                    const std::function<void(const RecordProgress&)>& progress);

}  // namespace wick

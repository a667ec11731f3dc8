// SPDX-License-Identifier: Apache-2.0
#include "cli/options/run_options.h"

#include "base/metrics.h"
#include "base/tell.h"
#include "base/terminal_text.h"
#include "cli/options/option_kinds.h"

namespace wick {

void add_run_options(OptionSet& app, RunOptions& run) {
  add_flag(app, "-q,--quiet", run.quiet, "print only errors");
  add_flag(app, "-v,--verbose", run.verbose,
           "print what is read and which programs are run");
  add_flag(app, "--stats", run.stats,
           "print the time of each pass and the peak memory");
}

void say(const RunOptions& run, std::string_view message) {
  if (!run.quiet) tell("wick: {}\n", in_one_line(message));
}

void report_stats(const RunOptions& run) {
  if (run.stats) tell("{}", metrics_report());
}

}  // namespace wick

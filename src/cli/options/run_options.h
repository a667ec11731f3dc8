// SPDX-License-Identifier: Apache-2.0
// What every command has: how much it prints on standard error.
#pragma once

#include <string_view>

#include "cli/options/option_set.h"

namespace wick {

struct RunOptions {
  bool quiet = false, verbose = false, stats = false;
};
void add_run_options(OptionSet& app, RunOptions& run);

// Prints a line on standard error, unless --quiet.
void say(const RunOptions& run, std::string_view message);
// With --stats, prints the time of each pass and the peak memory.
void report_stats(const RunOptions& run);

}  // namespace wick

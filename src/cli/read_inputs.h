// SPDX-License-Identifier: Apache-2.0
// Reading the inputs of a command.
#pragma once

#include <string>
#include <vector>

#include "cli/options/input_options.h"
#include "profile/format.h"

namespace wick {

// Standard input if something is piped in, else wick.data, else perf.data; a
// UsageError if none of these exists.
std::vector<std::string> default_inputs();

// Whether the result depends on the ids of threads, for ReadOptions.
bool needs_thread_ids(const InputOptions& input, const OutputFormat& format,
                      const FoldOptions& fold);

// Reads one input without selecting from it.
Profile read_input(const std::string& path, const InputOptions& input);
// Reads all inputs, merges them and selects; shows progress on a terminal.
Profile read_inputs(const InputOptions& input, const RunOptions& run = {});

}  // namespace wick

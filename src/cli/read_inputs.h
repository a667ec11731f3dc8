// SPDX-License-Identifier: Apache-2.0
// Reading the inputs of a command.
#pragma once

#include <string>
#include <vector>

#include "cli/options/input_options.h"

namespace wick {

// Standard input if something is piped in, else wick.data, else perf.data; a
// UsageError if none of these exists.
std::vector<std::string> default_inputs();

// Reads one input without selecting from it.
Profile read_input(const std::string& path, const InputOptions& input);
// Reads all inputs, merges them and selects; shows progress on a terminal.
Profile read_inputs(const InputOptions& input, const RunOptions& run = {});

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The two processes of `wick serve`: the recorder, which has a few rights and
// opens no socket, and the server, its child, which has none.
#pragma once

#include <string>
#include <vector>

#include "cli/options/run_options.h"
#include "cli/serve_arguments.h"

namespace wick {

inline constexpr const char* kServerCommand = "serve-server";

// Until a signal ends it. `words` are those of the command line, which the
// child gets as well. Returns the exit status.
int run_recorder_and_server(const ServeArguments& arguments,
                            const RunOptions& run,
                            const std::vector<std::string>& words);

// The server alone (--no-record).
int run_server_alone(const ServeArguments& arguments, const RunOptions& run);

// In the child.
int run_server_child(const ServeArguments& arguments, const RunOptions& run,
                     bool is_first);

}  // namespace wick

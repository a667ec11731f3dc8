// SPDX-License-Identifier: Apache-2.0
// The options of commands that read profiles.
#pragma once

#include <string>
#include <vector>

#include "cli/options/option_set.h"
#include "cli/options/run_options.h"
#include "profile/format.h"
#include "transform/select.h"

namespace wick {

struct InputOptions {
  std::vector<std::string> paths;  // none: see default_inputs()
  std::string format;
  std::string token_file;  // for inputs that a server is asked for
  ReadOptions read;
  bool compat_given = false;
  Selection select;
};
// --format, selection, and the options of single formats. `paths` is left to
// the command.
void add_input_options(OptionSet& app, InputOptions& input);
// Those of them that apply to a recording that the command makes itself.
void add_recorded_options(OptionSet& app, InputOptions& input);

// Where debug files are found, and the cache of what they said.
void add_debug_file_options(OptionSet& app, SymbolOptions& symbols);

// --kernel, --jit, --inline, --all, --addrs.
void add_naming_options(OptionSet& app, FoldOptions& fold, ReadOptions& read);

// Both, and the options of the run.
void add_reading_options(OptionSet& app, FoldOptions& fold, InputOptions& input,
                         RunOptions& run);

}  // namespace wick

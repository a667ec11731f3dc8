// SPDX-License-Identifier: Apache-2.0
// What `wick serve` is told, by its options and its configuration file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options/option_set.h"
#include "server/serve_config.h"

namespace wick {

struct ServeArguments {
  std::string file;   // of the configuration; "": where it usually is
  std::string state;  // folder; "": where it usually is
  // Options by their names in the file, in the order in which they were given.
  std::vector<std::pair<std::string, std::string>> given;

  // What the file says now, and the options, which win over it.
  ServeConfig config() const;
  std::string state_folder() const;
};

void add_serve_options(OptionSet& app, ServeArguments& arguments);

// Takes over what a running server can change, from a configuration that was
// read again. Returns whether anything else is different.
bool take_over(ServeConfig& running, const ServeConfig& next);

}  // namespace wick

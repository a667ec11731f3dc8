// SPDX-License-Identifier: Apache-2.0
// The commands of wick: a constant table, one file per command. Help, shell
// completions and man pages are made from the options that `declare` adds.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_set.h"

namespace wick {

// What stands on the command line besides options.
struct Arguments {
  std::vector<std::string> inputs;
  std::vector<std::string> program;  // behind `--`, for commands that run one
  std::vector<std::string> words;  // everything behind "wick", as it was typed
};

// What `declare` below returns for a command that is an object: it is kept
// alive, and its operator() runs.
template <class T>
std::function<int(const Arguments&)> runner(std::shared_ptr<T> command) {
  return
      [command](const Arguments& arguments) { return (*command)(arguments); };
}

struct Command {
  std::string_view name;
  std::string_view usage;     // behind the name: "[OPTION…] INPUT…"
  std::string_view summary;   // one line
  std::string_view examples;  // "command line\n", each with "  # why" behind it
  // Adds the options to `app` and gives what runs once they are parsed; its
  // result is the exit status. The options are kept by what is returned.
  std::function<int(const Arguments&)> (*declare)(OptionSet& app);
  bool takes_program = false;    // `--` starts a program, not further inputs
  bool takes_arguments = false;  // `--` starts arguments of one that is known
  bool hidden = false;           // not in the list of `wick --help`
};

std::span<const Command* const> commands();
// Null if there is none of that name.
const Command* find_command(std::string_view name);

// Parses `arguments` (those behind the command's name) and runs the command.
int run_command(const Command& command, std::vector<std::string> arguments);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The commands of wick: a constant table, one file per command. Help, shell
// completions and man pages are generated from the options that `declare` adds.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/option_set.h"

namespace wick {

// The command line without options.
struct Arguments {
  std::vector<std::string> inputs;
  std::vector<std::string> program;  // after `--`, for commands that run one
  std::vector<std::string> words;    // everything after "wick", as typed
};

// For `declare` below: keeps the object of a command alive and runs its
// operator().
template <class T>
std::function<int(const Arguments&)> runner(std::shared_ptr<T> command) {
  return
      [command](const Arguments& arguments) { return (*command)(arguments); };
}

struct Command {
  std::string_view name;
  std::string_view usage;     // after the name: "[OPTION…] INPUT…"
  std::string_view summary;   // one line
  std::string_view examples;  // lines, "wick fold x  # why\n"
  // Adds the options to `app` and returns the function to run once they are
  // parsed, which returns the exit status. It owns the variables of the
  // options.
  std::function<int(const Arguments&)> (*declare)(OptionSet& app);
  bool takes_program = false;    // a program follows `--`, not inputs
  bool takes_arguments = false;  // arguments of a known program follow `--`
  bool hidden = false;           // not listed by `wick --help`
};

std::span<const Command* const> commands();
// Null if there is none of that name.
const Command* find_command(std::string_view name);

// The name of no command was typed in place of one: a UsageError.
[[noreturn]] void fail_unknown_command(std::string_view word);

// Parses `arguments` (those after the command's name) and runs the command.
int run_command(const Command& command, std::vector<std::string> arguments);

}  // namespace wick

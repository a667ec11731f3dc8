// SPDX-License-Identifier: Apache-2.0
// The options of a command as data, read from what it declared: help, man pages
// and shell completions are three ways to print this.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace wick {

// Without positional arguments; in the order of declaration, groups together.
std::vector<OptionInfo> option_table(const Command& command);

// The values that can stand for `value`: "wick|inferno|perl" names them itself,
// INPUT-FORMAT, OUTPUT-FORMAT and PALETTE are lists. Empty for free text.
std::vector<std::string> possible_values(std::string_view value);

std::string help_text(const Command& command);
std::string overview_text();
std::string version_text();
// A page of roff for `command`, or the one for wick itself if null.
std::string man_page(const Command* command);
// `shell` is bash, zsh or fish.
std::string completion_script(std::string_view shell);

}  // namespace wick

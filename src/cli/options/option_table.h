// SPDX-License-Identifier: Apache-2.0
// The options of a command as data. Help, man pages and shell completions are
// three ways to print it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command.h"

namespace wick {

// In the order of declaration, grouped.
std::vector<OptionInfo> option_table(const Command& command);

// The values that the placeholder `value` allows: "wick|inferno|perl" lists
// them itself; INPUT-FORMAT, OUTPUT-FORMAT and PALETTE are known. Empty for
// free text.
std::vector<std::string> possible_values(std::string_view value);

std::string help_text(const Command& command);
std::string overview_text();
std::string version_text();
// A page of roff for `command`, or the one for wick itself if null.
std::string man_page(const Command* command);
// `shell` is bash, zsh or fish.
std::string completion_script(std::string_view shell);

}  // namespace wick

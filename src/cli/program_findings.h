// SPDX-License-Identifier: Apache-2.0
// What a recording of a program can show.
#pragma once

#include <string>
#include <vector>

#include "cli/finding.h"

namespace wick {

// Of a file, or a program in PATH.
std::vector<Finding> program_findings(const std::string& name);

}  // namespace wick

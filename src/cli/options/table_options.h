// SPDX-License-Identifier: Apache-2.0
// The options of commands that print tables.
#pragma once

#include <string>

#include "cli/options/option_set.h"
#include "profile/report_options.h"

namespace wick {

// --by (one of the words in `by`, "function|line"), --sort, --top,
// --name-width. `sort` is the default of --sort.
void add_table_options(OptionSet& app, ReportOptions& report,
                       const std::string& by, const std::string& sort);

}  // namespace wick

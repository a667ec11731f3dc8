// SPDX-License-Identifier: Apache-2.0
// The options of commands that print tables.
#pragma once

#include <optional>
#include <string>

#include "cli/options/option_set.h"
#include "profile/format.h"
#include "profile/report_options.h"
#include "transform/diff.h"

namespace wick {

// --by (one of the words in `by`, "function|line"), --sort, --top,
// --name-width. `sort` is the default of --sort.
void add_table_options(OptionSet& app, ReportOptions& report,
                       const std::string& by, const std::string& sort);

// --scale, how a difference is shown; nullopt: not chosen.
Option* add_scale_option(OptionSet& app, std::optional<Scale>& scale);
// The choice, or the default: the peers do not normalise.
Scale chosen_scale(std::optional<Scale> scale, Compat compat);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The options of every command that reads an instruction trace.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/options/option_set.h"
#include "profile/format.h"

namespace wick {

// Code files, layout, attribution and trigger. `trace` must outlive the
// parsing.
void add_trace_options(OptionSet& app, TraceOptions& trace);

// Finds when tracing is on, for a trigger that counts for all harts of all
// files.
void find_common_windows(std::span<const std::string> paths,
                         std::string_view format, ReadOptions& read);

}  // namespace wick

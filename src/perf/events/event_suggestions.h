// SPDX-License-Identifier: Apache-2.0
// Errors for events that do not exist, with similar names that do.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perf/events/system_paths.h"

namespace wick {

// Up to three of `names` that `word` may be a misspelling of, best first.
std::vector<std::string> nearest_names(std::string_view word,
                                       std::span<const std::string> names);

// These throw UsageError.
[[noreturn]] void fail_unknown_event(std::string_view name,
                                     const SystemPaths& paths);
[[noreturn]] void fail_unknown_pmu(std::string_view name,
                                   const SystemPaths& paths);
[[noreturn]] void fail_without_tracefs(std::string_view event,
                                       const SystemPaths& paths);

}  // namespace wick

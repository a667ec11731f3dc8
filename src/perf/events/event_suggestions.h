// SPDX-License-Identifier: Apache-2.0
// What to say of an event that is not there.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perf/events/system_paths.h"

namespace wick {

// Up to three of `names` that may have been meant by `word`, best first.
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

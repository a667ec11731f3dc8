// SPDX-License-Identifier: Apache-2.0
// The kernel's description of tracepoints, as perf.data files carry it
// ("tracing data"), so that readers know the fields of their samples.
#pragma once

#include <span>
#include <string>

#include "perf/events/system_paths.h"

namespace wick {

// `names` as "sched:sched_switch", with modifiers or without. Fails if one has
// no description.
std::string collect_tracing_data(
    std::span<const std::string> names,
    const std::string& tracefs = readable_tracefs({}));

}  // namespace wick

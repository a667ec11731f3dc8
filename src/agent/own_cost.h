// SPDX-License-Identifier: Apache-2.0
// What wick itself costs, among the metrics of the host.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "host/host_metrics.h"

namespace wick {

// CPU time and resident memory of one of its processes. Nothing is added if it
// has ended.
void add_own_cost(pid_t pid, std::string_view label, HostMetrics& metrics);

}  // namespace wick

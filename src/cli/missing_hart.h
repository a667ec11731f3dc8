// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "profile/format.h"

namespace wick {

// "there is no hart 7; the trace has harts 0 and 1", if none of these traces
// has the hart that the options choose; else "". Reads them again: nothing else
// needs to know of harts that are left out.
std::string why_no_hart(std::span<const std::string> paths,
                        const std::string& format, const TraceOptions& options);

}  // namespace wick

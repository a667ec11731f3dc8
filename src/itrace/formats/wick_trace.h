// SPDX-License-Identifier: Apache-2.0
// wick's own trace file, as the QEMU plugin writes it
// (docs/formats/wick-trace.md).
#pragma once

#include <functional>
#include <string_view>

#include "itrace/formats/trace_reader.h"

namespace wick {

extern const TraceFormat wick_trace_format;

// Writes everything that `reader` yields as such a file, piece by piece.
void write_wick_trace(TraceReader& reader,
                      const std::function<void(std::string_view)>& sink);

}  // namespace wick

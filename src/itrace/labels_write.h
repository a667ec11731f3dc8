// SPDX-License-Identifier: Apache-2.0
// Writes the stacks of a trace like TracerV's output format 2, with a line for
// each function that is entered or left:
//
//   Indent: 1, Start label: main, At cycle: 100
//   Indent: 1, End label: main, End cycle: 250
//
// The stacks are wick's, and functions that are open at the end are closed, so
// that folding the text gives every cycle to the same stack.
#pragma once

#include <ostream>

#include "itrace/formats/trace_reader.h"
#include "profile/diagnostics.h"
#include "profile/format.h"

namespace wick {

// The labels are of one hart; fails at a second one. Returns what was noted
// about the files of code; the reader has its own diagnostics.
Diagnostics write_trace_labels(TraceReader& reader, const ReadOptions& options,
                               std::ostream& out);

}  // namespace wick

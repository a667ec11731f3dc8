// SPDX-License-Identifier: Apache-2.0
// FirePerf's rule, to reproduce its numbers: stacks by name from the labels of
// one file (FirePerfLabels), and a single bar for everything else.
//
//   - A pc without a label: the stack becomes USERSPACE_ALL alone.
//   - The name on top again: nothing changes.
//   - A symbol that is not a function after another such symbol: replaces it.
//   - Not the beginning of a label: everything above a frame of this name is
//     popped; if there is none, the stack becomes empty.
//   - The beginning of a label, or an empty stack: it is called.
//
// A frame ends with the last cycle in which one of its own instructions retired
// or a frame above it was popped; the time after that goes to the frame below.
// Frames that are open at the end never end, and their time since the last
// change is lost, as is the time of an empty stack. Both are noted.
//
// Of FirePerf's two parts, tracker and folding script, the second cuts names at
// their first comma, after the first has compared them as a whole.
#pragma once

#include "itrace/formats/trace_reader.h"
#include "profile/format.h"
#include "profile/profile.h"

namespace wick {

class CodeMap;

Profile read_fireperf(TraceReader& reader, const CodeMap& map,
                      const ReadOptions& options);

}  // namespace wick

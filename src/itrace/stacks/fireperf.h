// SPDX-License-Identifier: Apache-2.0
// FirePerf's rule, to reproduce its numbers: stacks by name from the symbols of
// one file, and a single bar for everything else.
//
//   - A pc outside the file: the stack becomes USERSPACE_ALL alone.
//   - The name on top again: nothing changes.
//   - A symbol that is not a function after another such symbol: replaces it.
//   - Not the beginning of a function: everything above a frame of this name is
//     popped; if there is none, the stack becomes empty.
//   - The beginning of a function: it is called.
//
// A frame ends with the last cycle in which one of its own instructions retired
// or a frame above it was popped; the time after that goes to the frame below.
// Frames that are open at the end never end, and their time since the last
// change is lost, as is the time of an empty stack. Both are noted.
#pragma once

#include "itrace/formats/trace_reader.h"
#include "profile/format.h"
#include "profile/profile.h"

namespace wick {

class CodeMap;

Profile read_fireperf(TraceReader& reader, const CodeMap& map,
                      const ReadOptions& options);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// FirePerf's rule, for those who want its numbers: stacks by name from the
// symbols of one file, everything else one bar.
//
//   - A pc outside the file empties the stack; USERSPACE_ALL stands there.
//   - The name on top again: nothing changes.
//   - A symbol that is no function behind one that is none: it takes its place.
//   - Not the beginning of a function: everything above a frame of this name
//     is left; without one, the stack is empty and stays so.
//   - The beginning of a function: it is called.
//
// A frame ends with the last cycle in which one of its own instructions
// retired, or in which something above it was left; what lies between goes to
// the frame below. Frames that are open at the end never end, and their time
// since the last change is lost, as is the time of an empty stack. Both are
// noted.
#pragma once

#include "itrace/formats/trace_reader.h"
#include "profile/format.h"
#include "profile/profile.h"

namespace wick {

class CodeMap;

Profile read_fireperf(TraceReader& reader, const CodeMap& map,
                      const ReadOptions& options);

}  // namespace wick

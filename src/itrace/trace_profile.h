// SPDX-License-Identifier: Apache-2.0
// From an instruction trace to a Profile.
//
// Its events are the trace's unit ("cycles"), "calls", one for each entry into
// a function, and "instructions" if that is not the unit.
#pragma once

#include "itrace/formats/trace_reader.h"
#include "profile/format.h"
#include "profile/profile.h"

namespace wick {

class CodeMap;

// Reads the whole trace. Fails (wick::Error) only if a file of the options
// cannot be read.
Profile read_trace(TraceReader& reader, const ReadOptions& options);

// The same with code that is already loaded.
Profile read_trace(TraceReader& reader, CodeMap& map,
                   const ReadOptions& options);

}  // namespace wick

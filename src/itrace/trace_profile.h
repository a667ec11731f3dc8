// SPDX-License-Identifier: Apache-2.0
// From an instruction trace to a Profile.
//
// Its events are the trace's unit ("cycles"), "calls", one for each time a
// function was entered, and "instructions" where the unit is another one.
#pragma once

#include "itrace/formats/trace_reader.h"
#include "profile/format.h"
#include "profile/profile.h"

namespace wick {

class CodeMap;

// Reads all of it. Fails (wick::Error) only if a file of the options cannot be
// read.
Profile read_trace(TraceReader& reader, const ReadOptions& options);

// The same with code that is at hand already.
Profile read_trace(TraceReader& reader, CodeMap& map,
                   const ReadOptions& options);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Traces of one machine, each of other harts, as one: TracerV writes a file for
// each tile. Blocks come in the order of their first cycles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "itrace/formats/trace_reader.h"

namespace wick {

struct NamedTrace {
  std::string name;  // for errors
  std::unique_ptr<TraceReader> reader;
};

// Null if they cannot be of one machine: two begin with the same hart, or they
// have different clocks or none.
std::unique_ptr<TraceReader> merge_traces(std::vector<NamedTrace> traces);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Weights by name, wherever in the flame graph the name occurs: tables of
// functions, their callers and their callees.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/fold.h"

namespace wick {

// `total` counts a stack once, however often the name is in it. The empty name
// has the weight of samples without a stack.
struct NameWeight {
  StringId name = StringId::kEmpty;
  std::int64_t self = 0, total = 0;
  std::int64_t before_self = 0, before_total = 0;  // in a difference
};

// A row for each name, in the order of first appearance.
std::vector<NameWeight> sum_by_name(const FlameGraph& graph);

// A set of names: indexed by StringId.
using NameSet = Column<StringId, bool>;

struct Neighbour {
  StringId name = StringId::kEmpty;
  std::int64_t weight = 0;
};
// The neighbours of all `chosen` names, taken as one function. In recursion,
// the outermost call has the caller and the innermost the callee, so the
// weights of either list add up to the function's total. The empty name means
// "no caller" or the function's self weight.
std::vector<Neighbour> callers_of(const FlameGraph& graph,
                                  const NameSet& chosen);
std::vector<Neighbour> callees_of(const FlameGraph& graph,
                                  const NameSet& chosen);

}  // namespace wick

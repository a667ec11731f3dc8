// SPDX-License-Identifier: Apache-2.0
// Which functions of a unit cover given addresses. DIEs are nested: an inlined
// call is a child of the function, or of the inlined call, it was inlined into.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "object/dwarf/dwarf_unit.h"

namespace wick {

struct FunctionNode {
  std::int32_t caller = -1;  // the node that this one is inlined into
  std::uint64_t die = 0;     // its offset, in the unit's .debug_info
  std::uint64_t call_file = 0;
  std::uint32_t call_line = 0;
  bool inlined = false;
};

struct FunctionsAt {
  std::vector<FunctionNode> nodes;      // callers precede their callees
  std::vector<std::int32_t> innermost;  // by address; -1: in no function
  bool damaged = false;                 // the unit could not be read completely
};

// For addresses in ascending order.
FunctionsAt find_functions(const Unit& unit, const AbbrevTable& table,
                           std::span<const std::uint64_t> addresses);

// Appends the code ranges of all functions of a unit to `out`, for units whose
// root has none. False if the unit could not be read completely.
bool function_ranges(const Unit& unit, const AbbrevTable& table,
                     std::vector<AddressRange>& out);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "object/dwarf/dwarf_unit.h"

namespace wick {

// Appends the ranges of a DW_AT_ranges, from .debug_ranges or, since version
// 5, .debug_rnglists. Omits code that the linker discarded. False if the list
// is damaged.
bool range_list(const Unit& unit, const FormValue& value,
                std::vector<AddressRange>& out);

}  // namespace wick

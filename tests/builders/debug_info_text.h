// SPDX-License-Identifier: Apache-2.0
// For tests: what DebugInfo says about addresses, as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "builders/dwarf_builder.h"
#include "object/dwarf/debug_info.h"

namespace wick {

// One line for each address: "1010: main /a.c:7 > inlined /a.c:10". "?" stands
// for what is not known, "!" behind a linkage name.
std::string resolved(DebugInfo& info,
                     const std::vector<std::uint64_t>& addresses);
std::string resolved(DebugInfo::Files files,
                     const std::vector<std::uint64_t>& addresses);
std::string resolved(const DwarfBuilder& dwarf,
                     const std::vector<std::uint64_t>& addresses);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// For tests: a small file with something of everything that DWARF has.
#pragma once

#include "builders/dwarf_builder.h"

namespace wick {

// Its code is at 0x1000 to 0x1200.
DwarfBuilder dwarf_sample(const DwarfBuilder::Options& options);

// Addresses that it knows.
std::vector<std::uint64_t> dwarf_sample_addresses();

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "object/elf/elf_file.h"

namespace wick {

// Where code of a relocatable file (.o, .ko) is said to lie. Its sections all
// begin at zero, so an address is the place in the file instead, as perf has it
// for kernel modules.
std::uint64_t address_in_relocatable(const ElfFile::Section& section);

// The bytes of a section with its relocations applied; nothing if it has none.
// Only the kinds that DWARF of the common machines needs are known; places of
// others stay as they are.
std::optional<std::string> relocated_bytes(const ElfFile& elf,
                                           const ElfFile::Section& section);

}  // namespace wick

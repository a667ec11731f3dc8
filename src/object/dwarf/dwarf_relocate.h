// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "object/elf/elf_file.h"

namespace wick {

// The address of a section of a relocatable file (.o, .ko). Its sections all
// begin at zero, so the offset in the file serves instead, as perf does it for
// kernel modules.
std::uint64_t address_in_relocatable(const ElfFile::Section& section);

// The bytes of a section with its relocations applied; nothing if it has none.
// Applies the types in MachineTraits::debug_relocations and ignores others.
std::optional<std::string> relocated_bytes(const ElfFile& elf,
                                           const ElfFile::Section& section);

}  // namespace wick

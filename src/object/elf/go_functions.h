// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wick {

class ElfFile;
class SymbolTableBuilder;

// The functions of a Go program, from the table that its runtime needs
// (.gopclntab) and stripping leaves in place. Every version since Go 1.2.
void add_go_functions(const ElfFile& file, SymbolTableBuilder& out);

// Symbols of a Go program get their names from that table where they only
// differ by the calling convention that the linker appends
// ("runtime.goexit.abi0").
void remove_go_suffixes(const ElfFile& file, SymbolTableBuilder& symbols);

}  // namespace wick

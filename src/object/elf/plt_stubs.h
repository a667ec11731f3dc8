// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wick {

class ElfFile;
class SymbolTableBuilder;

// Names the stubs through which a module calls functions of others
// ("memcpy@plt"), in .plt, .plt.sec, .plt.got and .iplt, for machines that have
// MachineTraits::plt. `out` already has the symbols of `file`.
void add_plt_stubs(const ElfFile& file, SymbolTableBuilder& out);

}  // namespace wick

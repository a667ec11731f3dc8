// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wick {

class ElfFile;
class SymbolTableBuilder;

// Names the stubs through which a module calls functions of others, as
// "memcpy@plt": those of .plt, .plt.sec, .plt.got and .iplt of x86-64, AArch64
// and RISC-V. `out` has the symbols of `file` already.
void add_plt_stubs(const ElfFile& file, SymbolTableBuilder& out);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/elf/go_functions.h"

#include <algorithm>
#include <cstdint>

#include "object/elf/elf_file.h"
#include "object/elf/go_table.h"
#include "object/elf/symbol_table_builder.h"

namespace wick {

void add_go_functions(const ElfFile& file, SymbolTableBuilder& out) {
  const auto table = GoTable::find(file);
  if (!table) return;
  out.reserve(table->size());
  // Names follow each other. In a crafted table each could be the same long
  // one.
  std::uint64_t bytes_left = 2 * table->names().size();
  for (std::uint64_t row = 0; row < table->size(); ++row) {
    const GoTable::Function function = table->function(row);
    const std::string_view name = until_nul(table->name(function).substr(
        0, std::min<std::uint64_t>(kMaxSymbolName, bytes_left)));
    bytes_left -= name.size();
    if (function.end > function.start && !name.empty())
      out.add({.start = function.start,
               .size = function.end - function.start,
               .name = name});
  }
}

}  // namespace wick

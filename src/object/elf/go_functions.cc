// SPDX-License-Identifier: Apache-2.0
#include "object/elf/go_functions.h"

#include <algorithm>
#include <cstdint>

#include "object/elf/elf_file.h"
#include "object/elf/go_table.h"
#include "object/elf/symbol_table_builder.h"

namespace wick {
namespace {

// Without what the linker appends; empty if it has not appended anything.
std::string_view plain_name(std::string_view name) {
  for (const std::string_view suffix : {".abi0", ".abiinternal"})
    if (name.ends_with(suffix))
      return name.substr(0, name.size() - suffix.size());
  return {};
}

// A function may really be called "main.abi0".
bool is_name_at(std::uint64_t elf_addr, std::string_view name,
                const GoTable& table) {
  const auto function = table.function_at(elf_addr);
  return function && function->start == elf_addr &&
         until_nul(table.name(*function).substr(0, name.size() + 1)) == name;
}

}  // namespace

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

void remove_go_suffixes(const ElfFile& file, SymbolTableBuilder& symbols) {
  const auto table = GoTable::find(file);
  if (!table) return;
  symbols.rename([&](const SymbolCandidate& symbol) {
    const std::string_view plain = plain_name(symbol.name);
    return !plain.empty() && is_name_at(symbol.start, plain, *table)
               ? plain
               : symbol.name;
  });
}

}  // namespace wick

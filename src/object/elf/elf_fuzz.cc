// SPDX-License-Identifier: Apache-2.0
// Any bytes as an ELF file: everything that is read of one besides unwind rules
// and DWARF, and its symbols.
#include <cstdlib>

#include "base/fuzz_target.h"
#include "object/elf/elf_file.h"
#include "object/elf/needed.h"
#include "object/elf/symbol_table.h"

namespace wick {
namespace {

void require(bool good) {
  if (!good) std::abort();
}

void check(const SymbolTable& table) {
  const Symbol* before = nullptr;
  for (const Symbol& symbol : table) {
    require(before == nullptr || before->start < symbol.start);
    require(!symbol.name.empty());
    require(symbol.size == 0 || table.find(symbol.start) == &symbol);
    table.find(symbol.start + symbol.size);
    before = &symbol;
  }
}

void fuzz_elf(std::string_view bytes) {
  const auto file = ElfFile::from_memory("input", std::string(bytes));
  for (const ElfFile::Section& section : file->sections()) {
    file->bytes(section);
    file->bytes_at(section.address, section.size);
  }
  for (const ElfFile::Segment& segment : file->segments()) {
    file->bytes_at(segment.address, segment.memory_size);
    file->elf_addr(segment.offset);
  }
  file->build_id();
  file->debug_link();
  file->alternate_link();
  needed_by(*file);
  check(SymbolTable::from_elf(*file, nullptr));
  check(SymbolTable::from_elf(*file, file.get()));
}

}  // namespace

extern const FuzzTarget elf_fuzz = {.name = "elf", .run = fuzz_elf};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_relocate.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "builders/debug_info_text.h"

namespace wick {
namespace {

// An .o or .ko: the function's address is zero, a relocation says that it lies
// 8 bytes into the first section.
TEST(DwarfRelocate, CodeOfARelocatableFileIsAtItsPlaceInTheFile) {
  ElfBuilder elf({.type = ET_REL});
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .content = std::string(64, '\x90')});
  DwarfBuilder dwarf({.type = ET_REL});
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit, {});
  const auto die = dwarf.leaf(
      DW_TAG_subprogram, {address(DW_AT_low_pc, 0), number(DW_AT_high_pc, 16),
                          text(DW_AT_name, "init_module")});
  dwarf.close();
  dwarf.end_unit();
  const auto info =
      elf.add_section({.name = ".debug_info", .content = dwarf.info});
  elf.add_section({.name = ".debug_abbrev", .content = dwarf.abbrev});

  std::string symbols(24, '\0');  // none, then the section's
  elf.put<std::uint32_t>(symbols, 0);
  symbols += std::string("\x03\x00", 2);
  elf.put<std::uint16_t>(symbols, 1);
  elf.put<std::uint64_t>(symbols, 0);
  elf.put<std::uint64_t>(symbols, 0);
  const auto table = elf.add_section(
      {.name = ".symbols", .type = SHT_SYMTAB, .content = symbols});
  std::string relocation;
  elf.put<std::uint64_t>(relocation, die + 1);  // behind the code
  elf.put<std::uint64_t>(relocation, std::uint64_t{1} << 32 | R_X86_64_64);
  elf.put<std::uint64_t>(relocation, 8);
  elf.add_section({.name = ".rela.debug_info",
                   .type = SHT_RELA,
                   .content = relocation,
                   .link = table,
                   .info = info});

  const auto file = elf.file();
  const std::uint64_t begin = file->section(".text")->offset;
  std::vector<std::string> names;
  DebugInfo debug({.main = file});
  debug.resolve(std::vector{begin + 7, begin + 8, begin + 23, begin + 24}, 1,
                [&](std::size_t, std::span<const SourceFrame> frames) {
                  names.emplace_back(frames.empty() ? "" : frames[0].function);
                });
  std::ranges::sort(names);  // they come in any order
  EXPECT_EQ(names,
            (std::vector<std::string>{"", "", "init_module", "init_module"}));
}

}  // namespace
}  // namespace wick

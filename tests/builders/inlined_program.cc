// SPDX-License-Identifier: Apache-2.0
#include "builders/inlined_program.h"

#include <elf.h>

#include "builders/dwarf_builder.h"

namespace wick {
namespace {

ElfBuilder built() {
  DwarfBuilder dwarf({.machine = EM_RISCV, .type = ET_EXEC});
  const auto lines = dwarf.lines({{0x10000, 1, 5},
                                  {0x10004, 2, 11},
                                  {0x10008, 3, 20},
                                  {0x1000c, 2, 13},
                                  {0x10010, 1, 8},
                                  {0x10018}});
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {text(DW_AT_name, "a.c"), text(DW_AT_comp_dir, "/src"),
              address(DW_AT_low_pc, 0x10000), number(DW_AT_high_pc, 0x18),
              offset(DW_AT_stmt_list, lines)});
  const auto mid = dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "mid")});
  const auto leaf = dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "leaf")});
  dwarf.open(DW_TAG_subprogram,
             {text(DW_AT_name, "main"), address(DW_AT_low_pc, 0x10000),
              number(DW_AT_high_pc, 0x18)});
  dwarf.open(DW_TAG_inlined_subroutine,
             {refers(DW_AT_abstract_origin, mid),
              address(DW_AT_low_pc, 0x10004), number(DW_AT_high_pc, 0xc),
              number(DW_AT_call_file, 1), number(DW_AT_call_line, 7)});
  dwarf.leaf(DW_TAG_inlined_subroutine,
             {refers(DW_AT_abstract_origin, leaf),
              address(DW_AT_low_pc, 0x10008), number(DW_AT_high_pc, 4),
              number(DW_AT_call_file, 2), number(DW_AT_call_line, 12)});
  for (int i = 0; i < 3; ++i) dwarf.close();
  dwarf.end_unit();

  ElfBuilder elf = dwarf.elf();
  std::string code;
  for (int i = 0; i < 5; ++i) elf.put<std::uint32_t>(code, 0x00000013);  // nop
  elf.put<std::uint32_t>(code, 0x00008067);                              // ret
  const std::uint16_t section =
      elf.add_section({.name = ".text",
                       .flags = SHF_ALLOC | SHF_EXECINSTR,
                       .address = 0x10000,
                       .content = code});
  elf.add_symbol(
      {.name = "main", .value = 0x10000, .size = 0x18, .section = section});
  return elf;
}

}  // namespace

std::shared_ptr<const ElfFile> inlined_program() {
  return built().file("program");
}

std::string inlined_program_bytes() { return built().bytes(); }

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "builders/dwarf_sample.h"

namespace wick {
namespace {

// Ranges 0x1040 to 0x1050 and 0x1060 to 0x1068, from a base of 0x1000.
DwarfBuilder::Attribute two_ranges(DwarfBuilder& dwarf, int version) {
  if (version < 5) {
    const std::uint64_t at = dwarf.ranges.size();
    for (const std::uint64_t word : {0x40, 0x50, 0x60, 0x68, 0, 0})
      dwarf.put_address(dwarf.ranges, word);
    return offset(DW_AT_ranges, at);
  }
  if (dwarf.rnglists.empty()) {
    dwarf.rnglists.assign(12, '\0');
    dwarf.put_offset(dwarf.rnglists, 4);
  }
  dwarf.rnglists += std::string("\x04\x40\x50\x01\x00\x04\x60\x68\x00", 9);
  return {DW_AT_ranges, DW_FORM_rnglistx, 0};
}

}  // namespace

DwarfBuilder dwarf_sample(const DwarfBuilder::Options& options) {
  DwarfBuilder dwarf(options);
  const bool is_new = options.version >= 5;
  const auto first = DwarfBuilder::add_text(dwarf.str, "first");
  const auto linkage = DwarfBuilder::add_text(dwarf.str, "_Z5firstv");
  if (is_new) {
    dwarf.addr.assign(8, '\0');
    dwarf.put_address(dwarf.addr, 0x1000);
    dwarf.str_offsets.assign(8, '\0');
    dwarf.put_offset(dwarf.str_offsets, linkage);
  }

  dwarf.begin_unit(DW_UT_partial);
  dwarf.open(DW_TAG_partial_unit, {});
  const auto shared =
      dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "shared")});
  dwarf.close();
  dwarf.end_unit();

  const auto lines = dwarf.lines({{0x1000, 1, 10},
                                  {0x1040, 2, 20},
                                  {0x1048, 3, 0},
                                  {0x1060, 1, 11},
                                  {0x1200}});
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {text(DW_AT_name, "a.c"), text(DW_AT_comp_dir, "/src"),
              number(DW_AT_language, 0x0c), address(DW_AT_low_pc, 0x1000),
              number(DW_AT_high_pc, 0x100), offset(DW_AT_stmt_list, lines),
              offset(DW_AT_addr_base, 8), offset(DW_AT_str_offsets_base, 8),
              offset(DW_AT_rnglists_base, 12)});
  dwarf.open(DW_TAG_structure_type, {{DW_AT_sibling, DW_FORM_ref4, 0}});
  const std::size_t sibling = dwarf.info.size() - 4;
  const auto declared = dwarf.leaf(
      DW_TAG_subprogram,
      {{DW_AT_name, DW_FORM_strp, first},
       is_new ? DwarfBuilder::Attribute{DW_AT_linkage_name, DW_FORM_strx1, 0}
              : DwarfBuilder::Attribute{DW_AT_MIPS_linkage_name, DW_FORM_strp,
                                        linkage}});
  dwarf.close();
  std::string place;
  dwarf.put(place, dwarf.unit_offset(dwarf.info.size()), 4);
  dwarf.info.replace(sibling, 4, place);
  dwarf.open(DW_TAG_subprogram,
             {refers(DW_AT_specification, declared),
              {0x40, DW_FORM_exprloc, 0, "\x9c"},  // DW_AT_frame_base
              is_new ? DwarfBuilder::Attribute{DW_AT_low_pc, DW_FORM_addrx, 0}
                     : address(DW_AT_low_pc, 0x1000),
              {DW_AT_high_pc, DW_FORM_data4, 0x80}});
  dwarf.open(DW_TAG_inlined_subroutine, {refers(DW_AT_abstract_origin, shared),
                                         two_ranges(dwarf, options.version),
                                         {DW_AT_call_file, DW_FORM_data1, 1},
                                         {DW_AT_call_line, DW_FORM_data2, 7}});
  dwarf.open(0x0b, {});  // DW_TAG_lexical_block
  dwarf.leaf(DW_TAG_inlined_subroutine,
             {refers(DW_AT_abstract_origin, declared),
              address(DW_AT_low_pc, 0x1044), number(DW_AT_high_pc, 4),
              number(DW_AT_call_file, 2), number(DW_AT_call_line, 70)});
  for (int i = 0; i < 4; ++i) dwarf.close();
  dwarf.end_unit();

  // A unit that does not say what code it has.
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit, {offset(DW_AT_stmt_list, lines)});
  dwarf.leaf(DW_TAG_subprogram,
             {text(DW_AT_name, "second"), address(DW_AT_low_pc, 0x1100),
              address(DW_AT_high_pc, 0x1200)});
  dwarf.close();
  dwarf.end_unit();
  return dwarf;
}

std::vector<std::uint64_t> dwarf_sample_addresses() {
  return {0x1000, 0x1040, 0x1044, 0x1048, 0x1060, 0x1070, 0x1100, 0x1200};
}

}  // namespace wick

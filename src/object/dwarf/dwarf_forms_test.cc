// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_forms.h"

#include <gtest/gtest.h>

#include <vector>

#include "builders/debug_info_text.h"
#include "object/dwarf/dwarf_cursor.h"

namespace wick {
namespace {

using Attribute = DwarfBuilder::Attribute;

// A function at 0x1000 with these attributes before its own, so that its code
// is only found if they are stepped over by the right number of bytes.
std::string function_with(DwarfBuilder& dwarf,
                          const std::vector<Attribute>& more) {
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x1000),
              offset(DW_AT_str_offsets_base, 8), offset(DW_AT_addr_base, 8)});
  std::vector<Attribute> attributes = more;
  attributes.push_back(number(0x3b, 7));  // DW_AT_decl_line
  attributes.push_back(address(DW_AT_low_pc, 0x1000));
  attributes.push_back(number(DW_AT_high_pc, 0x10));
  dwarf.leaf(DW_TAG_subprogram, attributes);
  dwarf.close();
  dwarf.end_unit();
  return resolved(dwarf, {0x1000});
}

constexpr std::uint16_t kUnknownAttribute = 0x3fff;

TEST(DwarfForms, AStringIsCutAt64Kilobytes) {
  const std::string section = std::string(1 << 20, 'n') + '\0' + "name" + '\0';
  EXPECT_EQ(text_at(section, 0).size(), std::size_t{1} << 16);
  EXPECT_EQ(text_at(section, 1 << 20), "");
  EXPECT_EQ(text_at(section, (1 << 20) + 1), "name");
  EXPECT_EQ(text_at("unterminated", 0), "");
}

TEST(DwarfForms, AllAreSteppedOver) {
  for (const auto& options :
       {DwarfBuilder::Options{.version = 5},
        DwarfBuilder::Options{
            .version = 5, .offset_size = 8, .address_size = 4}}) {
    DwarfBuilder dwarf(options);
    std::vector<Attribute> all = {text(DW_AT_name, "f")};
    for (std::uint16_t form = 1; form <= DW_FORM_addrx4; ++form) {
      if (form == 0x02) continue;  // not given to any
      all.push_back({kUnknownAttribute, form, 3,
                     form == DW_FORM_data16 ? std::string(16, 'x')
                     : form == DW_FORM_indirect
                         ? std::string("\x0b\x07", 2)  // data1: 7
                         : "xyz"});
    }
    for (const std::uint16_t form :
         {DW_FORM_GNU_addr_index, DW_FORM_GNU_str_index, DW_FORM_GNU_ref_alt,
          DW_FORM_GNU_strp_alt})
      all.push_back({kUnknownAttribute, form, 300});
    EXPECT_EQ(function_with(dwarf, all), "1000: f ?:0\n");
  }
}

TEST(DwarfForms, NamesAreFoundInEverySectionOfStrings) {
  struct Case {
    std::uint16_t form;
    std::uint64_t value;
    const char* name;
  };
  for (const auto& [form, value, name] :
       {Case{DW_FORM_strp, 4, "str"}, Case{DW_FORM_line_strp, 5, "line"},
        Case{DW_FORM_strx, 1, "str"}, Case{DW_FORM_strx1, 1, "str"},
        Case{DW_FORM_strx2, 1, "str"}, Case{DW_FORM_strx3, 1, "str"},
        Case{DW_FORM_strx4, 1, "str"}, Case{DW_FORM_strx, UINT64_MAX, "?"},
        Case{DW_FORM_strp, 999, "?"}}) {
    for (const bool little : {true, false}) {
      DwarfBuilder dwarf({.version = 5, .little_endian = little});
      dwarf.str = std::string("abc\0str\0", 8);
      dwarf.line_str = std::string("abcd\0line\0", 10);
      dwarf.str_offsets.assign(8, '\0');
      dwarf.put_offset(dwarf.str_offsets, 0);
      dwarf.put_offset(dwarf.str_offsets, 4);
      EXPECT_EQ(function_with(dwarf, {{DW_AT_name, form, value}}),
                std::string("1000: ") + name + " ?:0\n")
          << form;
    }
  }
}

TEST(DwarfForms, AddressesAreFoundByNumber) {
  for (const std::uint16_t form :
       {DW_FORM_addrx, DW_FORM_addrx1, DW_FORM_addrx2, DW_FORM_addrx3,
        DW_FORM_addrx4}) {
    DwarfBuilder dwarf({.version = 5});
    dwarf.addr.assign(8, '\0');
    for (const std::uint64_t entry : {0x1500, 0x1540})
      dwarf.put_address(dwarf.addr, entry);
    dwarf.begin_unit();
    dwarf.open(DW_TAG_compile_unit, {offset(DW_AT_addr_base, 8),
                                     {DW_AT_low_pc, form, 0},
                                     {DW_AT_high_pc, form, 1}});
    dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "f"),
                                   {DW_AT_low_pc, form, 0},
                                   {DW_AT_high_pc, DW_FORM_implicit_const, 8}});
    dwarf.close();
    dwarf.end_unit();
    EXPECT_EQ(resolved(dwarf, {0x1500, 0x1507, 0x1508}),
              "1500: f ?:0\n1507: f ?:0\n1508:\n");
  }
}

TEST(DwarfForms, AFormThatIsNotKnownDamagesItsUnitOnly) {
  DwarfBuilder dwarf;
  function_with(dwarf, {{kUnknownAttribute, 0x7f, 1}});
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {address(DW_AT_low_pc, 0x3000), number(DW_AT_high_pc, 0x1000)});
  dwarf.leaf(DW_TAG_subprogram,
             {text(DW_AT_name, "other"), address(DW_AT_low_pc, 0x3000),
              number(DW_AT_high_pc, 0x10)});
  dwarf.close();
  dwarf.end_unit();
  DebugInfo info({.main = dwarf.file()});
  EXPECT_EQ(resolved(info, {0x1000, 0x3000}), "1000:\n3000: other ?:0\n");
  EXPECT_EQ(info.damaged_units(), 1);
}

TEST(DwarfForms, AnIndirectFormThatNamesItselfEnds) {
  DwarfBuilder dwarf;
  EXPECT_EQ(function_with(dwarf, {{kUnknownAttribute, DW_FORM_indirect, 0,
                                   std::string("\x16\x16\x16", 3)}}),
            "1000:\n");
}

TEST(DwarfForms, AnAbbreviationWithoutEndIsDamaged) {
  DwarfBuilder dwarf;
  const std::vector<Attribute> many(
      5000, {kUnknownAttribute, DW_FORM_flag_present, 1});
  EXPECT_EQ(function_with(dwarf, many), "1000:\n");
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/top_functions.h"

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "builders/dwarf_builder.h"

namespace wick {
namespace {

constexpr std::uint16_t kNamespace = 0x39;  // DW_TAG_namespace

using Attributes = std::vector<DwarfBuilder::Attribute>;

Attributes plain_function(const std::string& name, std::uint64_t begin,
                          std::uint64_t size) {
  return {text(DW_AT_name, name), address(DW_AT_low_pc, begin),
          number(DW_AT_high_pc, size)};
}

void open_plain_unit(DwarfBuilder& dwarf) {
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit, {text(DW_AT_name, "a.c")});
}
void close_plain_unit(DwarfBuilder& dwarf) {
  dwarf.close();
  dwarf.end_unit();
}

// A line for each: begin, end, name.
std::string listed(const std::shared_ptr<const ElfFile>& elf) {
  std::string out;
  for (const TopFunction& function : top_functions(elf, 1))
    out += fmt::format("{:x} {:x} {}\n", function.begin, function.end,
                       function.name);
  return out;
}

TEST(TopFunctions, AreThoseOfAllUnitsInTheOrderOfTheFile) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  dwarf.leaf(DW_TAG_subprogram, plain_function("second", 0x1100, 0x10));
  dwarf.leaf(DW_TAG_subprogram, plain_function("first", 0x1000, 0x10));
  close_plain_unit(dwarf);
  open_plain_unit(dwarf);
  dwarf.leaf(DW_TAG_subprogram, plain_function("again", 0x1000, 0x10));
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()),
            "1100 1110 second\n"
            "1000 1010 first\n"
            "1000 1010 again\n");
}

TEST(TopFunctions, EndAtAnAddressOrAfterASize) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  dwarf.leaf(DW_TAG_subprogram,
             {text(DW_AT_name, "f"), address(DW_AT_low_pc, 0x1000),
              address(DW_AT_high_pc, 0x1020)});
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()), "1000 1020 f\n");
}

TEST(TopFunctions, ThoseInNamespacesClassesAndOtherFunctionsAreNone) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  dwarf.open(kNamespace, {text(DW_AT_name, "inside")});
  dwarf.leaf(DW_TAG_subprogram, plain_function("a", 0x1000, 0x10));
  dwarf.close();
  dwarf.open(DW_TAG_structure_type, {text(DW_AT_name, "Type")});
  dwarf.leaf(DW_TAG_subprogram, plain_function("b", 0x1010, 0x10));
  dwarf.close();
  dwarf.open(DW_TAG_subprogram, plain_function("top", 0x1020, 0x10));
  dwarf.leaf(DW_TAG_subprogram, plain_function("c", 0x1028, 0x8));
  dwarf.close();
  dwarf.leaf(DW_TAG_subprogram, plain_function("last", 0x1030, 0x10));
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()),
            "1020 1030 top\n"
            "1030 1040 last\n");
}

TEST(TopFunctions, OnesInSeveralPiecesAndDeclarationsAreNone) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  dwarf.leaf(DW_TAG_subprogram,
             {text(DW_AT_name, "pieces"), offset(DW_AT_ranges, 0)});
  dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "declaration")});
  dwarf.leaf(DW_TAG_subprogram,
             {text(DW_AT_name, "endless"), address(DW_AT_low_pc, 0x1000)});
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()), "");
}

TEST(TopFunctions, EntryPointsAreNone) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  dwarf.leaf(DW_TAG_entry_point, plain_function("entry", 0x1000, 0x10));
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()), "");
}

TEST(TopFunctions, OnesThatTheLinkerDiscardedAreNone) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  dwarf.leaf(DW_TAG_subprogram, plain_function("by ld", 0, 0x10));
  dwarf.leaf(DW_TAG_subprogram, plain_function("by lld", UINT64_MAX, 0x10));
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()), "");
}

TEST(TopFunctions, HaveTheNameOfTheSourceNotTheLinkers) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  Attributes work = plain_function("work", 0x1000, 0x10);
  work.push_back(text(DW_AT_linkage_name, "_Z4workv"));
  dwarf.leaf(DW_TAG_subprogram, work);
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()), "1000 1010 work\n");
}

TEST(TopFunctions, HaveTheNameOfTheirAbstractInstance) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  const auto abstract =
      dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "work")});
  dwarf.leaf(DW_TAG_subprogram,
             {refers(DW_AT_abstract_origin, abstract),
              address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x10)});
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()), "1000 1010 work\n");
}

TEST(TopFunctions, ThatOnlyTheirDeclarationNamesAreNone) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  const auto declaration =
      dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "method")});
  const auto abstract =
      dwarf.leaf(DW_TAG_subprogram, {refers(DW_AT_specification, declaration)});
  for (const std::uint16_t attribute :
       {DW_AT_specification, DW_AT_abstract_origin})
    dwarf.leaf(DW_TAG_subprogram,
               {refers(attribute, attribute == DW_AT_specification ? declaration
                                                                   : abstract),
                address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x10)});
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()), "");
}

TEST(TopFunctions, ChildrenAreSkippedAlongSiblings) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  // A reference into the unit that is filled in below.
  Attributes top = plain_function("top", 0x1000, 0x10);
  top.insert(top.begin(), {DW_AT_sibling, DW_FORM_ref4});
  const auto die = dwarf.open(DW_TAG_subprogram, top);
  const std::size_t code = die + 1;
  // Not a DIE: reading it would be damage.
  dwarf.info += "\x7f\x7f\x7f";
  std::string sibling;
  dwarf.put(sibling, dwarf.unit_offset(dwarf.info.size()), 4);
  dwarf.info.replace(code, 4, sibling);
  dwarf.leaf(DW_TAG_subprogram, plain_function("next", 0x1010, 0x10));
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()),
            "1000 1010 top\n"
            "1010 1020 next\n");
}

TEST(TopFunctions, ASiblingThatLiesBeforeIsNotFollowed) {
  DwarfBuilder dwarf;
  open_plain_unit(dwarf);
  Attributes top = plain_function("top", 0x1000, 0x10);
  top.push_back({DW_AT_sibling, DW_FORM_ref4, 0x10});
  dwarf.open(DW_TAG_subprogram, top);
  dwarf.close();
  dwarf.leaf(DW_TAG_subprogram, plain_function("next", 0x1010, 0x10));
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()),
            "1000 1010 top\n"
            "1010 1020 next\n");
}

TEST(TopFunctions, ARelocatableFileHasNone) {
  DwarfBuilder dwarf({.type = ET_REL});
  open_plain_unit(dwarf);
  dwarf.leaf(DW_TAG_subprogram, plain_function("work", 0x1000, 0x10));
  close_plain_unit(dwarf);
  EXPECT_EQ(listed(dwarf.file()), "");
}

}  // namespace
}  // namespace wick

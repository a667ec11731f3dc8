// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/debug_info.h"

#include <gtest/gtest.h>

#include "builders/debug_info_text.h"
#include "builders/dwarf_builder.h"
#include "object/dwarf/dwarf_constants.h"

namespace wick {
namespace {

using Attributes = std::vector<DwarfBuilder::Attribute>;

// A unit at 0x1000 to 0x2000 with the lines 10 from 0x1000 and 20 from 0x1100.
void open_unit(DwarfBuilder& dwarf, Attributes more = {}) {
  Attributes attributes = {
      text(DW_AT_name, "a.c"),
      text(DW_AT_comp_dir, "/src"),
      offset(DW_AT_stmt_list,
             dwarf.lines({{0x1000, 1, 10}, {0x1100, 2, 20}, {0x2000}})),
  };
  attributes.insert(attributes.end(), more.begin(), more.end());
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit, attributes);
}
void close_unit(DwarfBuilder& dwarf) {
  dwarf.close();
  dwarf.end_unit();
}
const Attributes kUnitCode = {address(DW_AT_low_pc, 0x1000),
                              number(DW_AT_high_pc, 0x1000)};

Attributes function(const std::string& name, std::uint64_t begin,
                    std::uint64_t size) {
  return {text(DW_AT_name, name), address(DW_AT_low_pc, begin),
          number(DW_AT_high_pc, size)};
}

TEST(DebugInfo, GivesTheFunctionFileAndLineOfAnAddress) {
  DwarfBuilder dwarf;
  open_unit(dwarf, kUnitCode);
  dwarf.leaf(DW_TAG_subprogram, function("first", 0x1000, 0x100));
  dwarf.leaf(DW_TAG_subprogram, function("second", 0x1100, 0x100));
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0xfff, 0x1000, 0x10ff, 0x1100, 0x2000}),
            "fff:\n"
            "1000: first /src/a.c:10\n"
            "10ff: first /src/a.c:10\n"
            "1100: second /src/inc/b.h:20\n"
            "2000:\n");
}

TEST(DebugInfo, GivesTheLineAloneWhereNoFunctionIsKnown) {
  DwarfBuilder dwarf;
  open_unit(dwarf, kUnitCode);
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1000}), "1000: ? /src/a.c:10\n");
}

TEST(DebugInfo, InlinedCallsFollowTheFunctionTheyAreInWithTheLineOfTheCall) {
  DwarfBuilder dwarf;
  open_unit(dwarf, kUnitCode);
  const auto square =
      dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "square")});
  const auto cube = dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "cube")});
  dwarf.open(DW_TAG_subprogram, function("main", 0x1000, 0x100));
  dwarf.open(DW_TAG_inlined_subroutine,
             {refers(DW_AT_abstract_origin, cube),
              address(DW_AT_low_pc, 0x1010), number(DW_AT_high_pc, 0x20),
              number(DW_AT_call_file, 1), number(DW_AT_call_line, 7)});
  dwarf.leaf(DW_TAG_inlined_subroutine,
             {refers(DW_AT_abstract_origin, square),
              address(DW_AT_low_pc, 0x1018), number(DW_AT_high_pc, 8),
              number(DW_AT_call_file, 3), number(DW_AT_call_line, 70)});
  dwarf.close();
  dwarf.close();
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1000, 0x1010, 0x1018, 0x1020, 0x1030}),
            "1000: main /src/a.c:10\n"
            "1010: main /src/a.c:7 > cube /src/a.c:10\n"
            "1018: main /src/a.c:7 > cube /src/inc/c.h:70 > square "
            "/src/a.c:10\n"
            "1020: main /src/a.c:7 > cube /src/a.c:10\n"
            "1030: main /src/a.c:10\n");
}

TEST(DebugInfo, LinkageNamesAreFollowedThroughOriginAndDeclaration) {
  DwarfBuilder dwarf;
  open_unit(dwarf, kUnitCode);
  const auto declared = dwarf.leaf(
      DW_TAG_subprogram,
      {text(DW_AT_name, "area"), text(DW_AT_linkage_name, "_ZN1S4areaEv")});
  const auto abstract =
      dwarf.leaf(DW_TAG_subprogram, {refers(DW_AT_specification, declared)});
  dwarf.leaf(DW_TAG_subprogram,
             {refers(DW_AT_abstract_origin, abstract),
              address(DW_AT_low_pc, 0x1000), address(DW_AT_high_pc, 0x1010)});
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1000}), "1000: _ZN1S4areaEv! /src/a.c:10\n");
}

TEST(DebugInfo, AnOriginThatRefersToItselfHasNoName) {
  DwarfBuilder dwarf;
  open_unit(dwarf, kUnitCode);
  const std::uint64_t self = dwarf.info.size();
  dwarf.leaf(DW_TAG_subprogram,
             {refers(DW_AT_abstract_origin, self),
              address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x10)});
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1000}), "1000: ? /src/a.c:10\n");
}

TEST(DebugInfo, NamesMayBeInAnotherUnit) {
  DwarfBuilder dwarf;
  dwarf.begin_unit();
  dwarf.open(DW_TAG_partial_unit, {});
  const auto shared =
      dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "shared")});
  close_unit(dwarf);
  open_unit(dwarf, kUnitCode);
  dwarf.leaf(DW_TAG_subprogram,
             {refers(DW_AT_abstract_origin, shared),
              address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x10)});
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1000}), "1000: shared /src/a.c:10\n");
}

TEST(DebugInfo, NamesMayBeInTheAlternateFile) {
  DwarfBuilder common;
  common.begin_unit();
  common.open(DW_TAG_partial_unit, {});
  const auto shared = common.leaf(
      DW_TAG_subprogram, {{DW_AT_name, DW_FORM_strp,
                           DwarfBuilder::add_text(common.str, "shared")}});
  close_unit(common);
  const auto text = DwarfBuilder::add_text(common.str, "other");

  DwarfBuilder dwarf;
  open_unit(dwarf, kUnitCode);
  dwarf.leaf(DW_TAG_subprogram,
             {{DW_AT_abstract_origin, DW_FORM_GNU_ref_alt, shared},
              address(DW_AT_low_pc, 0x1000),
              number(DW_AT_high_pc, 0x10)});
  dwarf.leaf(DW_TAG_subprogram, {{DW_AT_name, DW_FORM_GNU_strp_alt, text},
                                 address(DW_AT_low_pc, 0x1010),
                                 number(DW_AT_high_pc, 0x10)});
  close_unit(dwarf);
  EXPECT_EQ(resolved({.main = dwarf.file(), .alternate = common.file()},
                     {0x1000, 0x1010}),
            "1000: shared /src/a.c:10\n"
            "1010: other /src/a.c:10\n");
  EXPECT_EQ(resolved(dwarf, {0x1000}), "1000: ? /src/a.c:10\n");
}

TEST(DebugInfo, FunctionsAreFoundThatLieOutsideOfTheOneTheyAreNestedIn) {
  DwarfBuilder dwarf;
  open_unit(dwarf, kUnitCode);
  Attributes outer = function("outer", 0x1000, 0x10);
  outer.push_back({DW_AT_sibling, DW_FORM_ref4, 0});
  dwarf.open(DW_TAG_subprogram, outer);
  const std::size_t sibling = dwarf.info.size() - 4;
  dwarf.leaf(DW_TAG_subprogram, function("nested", 0x1050, 0x10));
  dwarf.close();
  std::string place;
  dwarf.put(place, dwarf.unit_offset(dwarf.info.size()), 4);
  dwarf.info.replace(sibling, 4, place);
  dwarf.leaf(DW_TAG_subprogram, function("after", 0x1060, 0x10));
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1000, 0x1050, 0x1060}),
            "1000: outer /src/a.c:10\n"
            "1050: nested /src/a.c:10\n"
            "1060: after /src/a.c:10\n");
}

TEST(DebugInfo, AUnitThatDoesNotSayItsCodeIsFoundByItsFunctions) {
  DwarfBuilder dwarf;
  open_unit(dwarf);
  dwarf.leaf(DW_TAG_subprogram, function("silent", 0x1000, 0x10));
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1000, 0x1010}),
            "1000: silent /src/a.c:10\n"
            "1010:\n");
}

TEST(DebugInfo, OfTwoUnitsThatClaimAnAddressTheOneThatKnowsItIsTaken) {
  DwarfBuilder dwarf;
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x20)});
  close_unit(dwarf);
  open_unit(dwarf, kUnitCode);
  dwarf.leaf(DW_TAG_subprogram, function("real", 0x1000, 0x100));
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1010}), "1010: real /src/a.c:10\n");
}

TEST(DebugInfo, CodeThatTheLinkerLeftOutIsAtZeroAndCoversNothing) {
  DwarfBuilder dwarf;
  open_unit(dwarf, {address(DW_AT_low_pc, 0), number(DW_AT_high_pc, 0x2000)});
  dwarf.leaf(DW_TAG_subprogram, function("dropped", 0, 0x2000));
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1000}), "1000:\n");
}

TEST(DebugInfo, AddressesMayBeAskedForAgain) {
  DwarfBuilder dwarf;
  open_unit(dwarf, kUnitCode);
  dwarf.leaf(DW_TAG_subprogram, function("first", 0x1000, 0x100));
  close_unit(dwarf);
  DebugInfo info({.main = dwarf.file()});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(resolved(info, {0x1000}), "1000: first /src/a.c:10\n");
}

TEST(DebugInfo, AFileWithoutDwarfKnowsNothing) {
  EXPECT_EQ(resolved({.main = ElfBuilder().file()}, {0x1000}), "1000:\n");
}

// Every version, both sizes of offsets and addresses, both byte orders.
struct Layout {
  DwarfBuilder::Options options;
  const char* name;
};
class DebugInfoLayout : public testing::TestWithParam<Layout> {};
INSTANTIATE_TEST_SUITE_P(
    All, DebugInfoLayout,
    testing::Values(
        Layout{{.version = 2}, "v2"}, Layout{{.version = 3}, "v3"},
        Layout{{.version = 4}, "v4"}, Layout{{.version = 5}, "v5"},
        Layout{{.version = 4, .offset_size = 8}, "v4_64"},
        Layout{{.version = 5, .offset_size = 8}, "v5_64"},
        Layout{{.version = 2, .address_size = 4}, "v2_addr4"},
        Layout{{.version = 4, .little_endian = false}, "v4_big"},
        Layout{{.version = 5, .little_endian = false}, "v5_big"},
        Layout{{.version = 5, .address_size = 4, .little_endian = false},
               "v5_addr4_big"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(DebugInfoLayout, IsRead) {
  DwarfBuilder dwarf(GetParam().options);
  open_unit(dwarf, kUnitCode);
  const auto inlined =
      dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "inlined")});
  dwarf.open(DW_TAG_subprogram, function("main", 0x1000, 0x100));
  dwarf.leaf(DW_TAG_inlined_subroutine,
             {refers(DW_AT_abstract_origin, inlined),
              address(DW_AT_low_pc, 0x1010), number(DW_AT_high_pc, 0x20),
              number(DW_AT_call_file, 2), number(DW_AT_call_line, 7)});
  dwarf.close();
  close_unit(dwarf);
  EXPECT_EQ(resolved(dwarf, {0x1000, 0x1010}),
            "1000: main /src/a.c:10\n"
            "1010: main /src/inc/b.h:7 > inlined /src/a.c:10\n");
}

}  // namespace
}  // namespace wick

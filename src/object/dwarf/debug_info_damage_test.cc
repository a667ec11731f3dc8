// SPDX-License-Identifier: Apache-2.0
// Whatever byte of DWARF is wrong or missing, every address gets an answer.
#include <gtest/gtest.h>

#include <vector>

#include "builders/debug_info_text.h"
#include "builders/dwarf_sample.h"
#include "object/dwarf/dwarf_constants.h"
#include "object/dwarf/top_functions.h"

namespace wick {
namespace {

std::string answer(const DwarfBuilder& dwarf) {
  top_functions(dwarf.file(), 1);
  return resolved(dwarf, dwarf_sample_addresses());
}

class DebugInfoDamage : public testing::TestWithParam<int> {
 protected:
  DwarfBuilder sample() const {
    return dwarf_sample({.version = static_cast<std::uint16_t>(GetParam()),
                         .little_endian = GetParam() != 3});
  }
  static std::vector<std::string DwarfBuilder::*> sections() {
    return {&DwarfBuilder::info,   &DwarfBuilder::abbrev,
            &DwarfBuilder::line,   &DwarfBuilder::str,
            &DwarfBuilder::ranges, &DwarfBuilder::rnglists,
            &DwarfBuilder::addr,   &DwarfBuilder::str_offsets};
  }
};
INSTANTIATE_TEST_SUITE_P(Version, DebugInfoDamage, testing::Values(2, 3, 4, 5));

TEST_P(DebugInfoDamage, TheWholeSampleIsRead) {
  DebugInfo info({.main = sample().file()});
  EXPECT_EQ(resolved(info, dwarf_sample_addresses()),
            "1000: _Z5firstv! /src/a.c:10\n"
            "1040: _Z5firstv! /src/a.c:7 > shared /src/inc/b.h:20\n"
            "1044: _Z5firstv! /src/a.c:7 > shared /src/inc/b.h:70 > "
            "_Z5firstv! /src/inc/b.h:20\n"
            "1048: _Z5firstv! /src/a.c:7 > shared /src/inc/c.h:0\n"
            "1060: _Z5firstv! /src/a.c:7 > shared /src/a.c:11\n"
            "1070: _Z5firstv! /src/a.c:11\n" +
                std::string(GetParam() < 5 ? "1100: second a.c:11\n"
                                           : "1100: second /src/a.c:11\n") +
                "1200:\n");
  EXPECT_EQ(info.damaged_units(), 0);
}

TEST_P(DebugInfoDamage, EveryPrefixOfASectionIsSurvived) {
  const DwarfBuilder whole = sample();
  for (const auto section : sections()) {
    for (std::size_t size = 0; size < (whole.*section).size(); ++size) {
      DwarfBuilder cut = whole;
      (cut.*section).resize(size);
      answer(cut);
    }
  }
}

TEST_P(DebugInfoDamage, EveryChangedByteIsSurvived) {
  const DwarfBuilder whole = sample();
  for (const auto section : sections()) {
    for (std::size_t i = 0; i < (whole.*section).size(); ++i) {
      for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        DwarfBuilder changed = whole;
        (changed.*section)[i] = static_cast<char>(value);
        answer(changed);
      }
    }
  }
}

TEST(DebugInfoHostile, AUnitLongerThanTheFileIsReadAsFarAsItGoes) {
  DwarfBuilder dwarf = dwarf_sample({.version = 4});
  // The last unit's length; the first two come out whole.
  const std::size_t at = dwarf.info.rfind(std::string("\x00\x00\x00\x04", 4));
  ASSERT_NE(at, std::string::npos);
  dwarf.info[at + 1] = '\x7f';
  EXPECT_TRUE(answer(dwarf).starts_with("1000: _Z5firstv! /src/a.c:10\n"));
}

TEST(DebugInfoHostile, ASiblingThatLiesBeforeIsNotFollowed) {
  DwarfBuilder dwarf;
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {number(DW_AT_language, 4), address(DW_AT_low_pc, 0x1000),
              number(DW_AT_high_pc, 0x1000)});
  dwarf.open(DW_TAG_structure_type, {{DW_AT_sibling, DW_FORM_ref4, 11}});
  dwarf.close();
  dwarf.leaf(DW_TAG_subprogram,
             {text(DW_AT_name, "f"), address(DW_AT_low_pc, 0x1000),
              number(DW_AT_high_pc, 0x10)});
  dwarf.close();
  dwarf.end_unit();
  EXPECT_EQ(resolved(dwarf, {0x1000}), "1000: f ?:0\n");
}

TEST(DebugInfoHostile, DeepNestingIsCutAndSaid) {
  DwarfBuilder dwarf;
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x1000)});
  dwarf.open(DW_TAG_subprogram,
             {text(DW_AT_name, "f"), address(DW_AT_low_pc, 0x1000),
              number(DW_AT_high_pc, 0x10)});
  for (int i = 0; i < 20'000; ++i)
    dwarf.open(DW_TAG_inlined_subroutine,
               {address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x10)});
  for (int i = 0; i < 20'002; ++i) dwarf.close();
  dwarf.end_unit();
  DebugInfo info({.main = dwarf.file()});
  std::size_t depth = 0;
  info.resolve(std::vector<std::uint64_t>{0x1000}, 1,
               [&](std::size_t, auto frames) { depth = frames.size(); });
  EXPECT_EQ(depth, 4096);
  EXPECT_EQ(info.damaged_units(), 1);
}

// Each function refers to the same long list of ranges.
TEST(DebugInfoHostile, AListThatManyShareIsNotReadWithoutEnd) {
  DwarfBuilder dwarf;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    dwarf.put_address(dwarf.ranges, 2 * i + 1);
    dwarf.put_address(dwarf.ranges, 2 * i + 2);
  }
  dwarf.put_address(dwarf.ranges, 0);
  dwarf.put_address(dwarf.ranges, 0);
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x1000)});
  const auto first = dwarf.leaf(DW_TAG_subprogram, {offset(DW_AT_ranges, 0)});
  const std::string again = dwarf.info.substr(first);
  for (int i = 0; i < 100'000; ++i) dwarf.info += again;
  dwarf.close();
  dwarf.end_unit();
  DebugInfo info({.main = dwarf.file()});
  resolved(info, {0x1000});
  EXPECT_EQ(info.damaged_units(), 1);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_line.h"

#include <gtest/gtest.h>

#include "builders/debug_info_text.h"
#include "object/dwarf/dwarf_constants.h"

namespace wick {
namespace {

// What a unit whose line table is at `lines` says about addresses.
std::string lines_of(DwarfBuilder& dwarf, std::uint64_t lines,
                     const std::vector<std::uint64_t>& addresses) {
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {text(DW_AT_comp_dir, "/src"), offset(DW_AT_stmt_list, lines),
              address(DW_AT_low_pc, 0x1000), number(DW_AT_high_pc, 0x1000)});
  dwarf.close();
  dwarf.end_unit();
  return resolved(dwarf, addresses);
}

std::string set_address(const DwarfBuilder& dwarf, std::uint64_t address) {
  std::string bytes("\0\x09\x02", 3);
  dwarf.put_address(bytes, address);
  return bytes;
}
const std::string kEnd("\0\1\1", 3);

TEST(DwarfLine, OfSeveralRowsAtOneAddressTheLastCounts) {
  DwarfBuilder dwarf;
  const auto lines = dwarf.lines(
      {{0x1000, 1, 10}, {0x1010, 1, 11}, {0x1010, 1, 12}, {0x1020}});
  EXPECT_EQ(lines_of(dwarf, lines, {0x1000, 0x1010, 0x101f, 0x1020}),
            "1000: ? /src/a.c:10\n"
            "1010: ? /src/a.c:12\n"
            "101f: ? /src/a.c:12\n"
            "1020:\n");
}

TEST(DwarfLine, RowsThatDoNotAscendArePutInOrder) {
  DwarfBuilder dwarf;
  const auto lines = dwarf.lines(
      {{0x1000, 1, 10}, {0x1020, 1, 30}, {0x1010, 1, 20}, {0x1030}});
  EXPECT_EQ(lines_of(dwarf, lines, {0x1008, 0x1018, 0x1028}),
            "1008: ? /src/a.c:10\n"
            "1018: ? /src/a.c:20\n"
            "1028: ? /src/a.c:30\n");
}

TEST(DwarfLine, LineZeroMeansThatNoneIsKnown) {
  DwarfBuilder dwarf;
  const auto lines = dwarf.lines({{0x1000, 1, 0}, {0x1010}});
  EXPECT_EQ(lines_of(dwarf, lines, {0x1000}), "1000: ? /src/a.c:0\n");
}

TEST(DwarfLine, SequencesMayHaveHolesBetweenThemAndAnyOrder) {
  DwarfBuilder dwarf;
  const std::string copy(1, DW_LNS_copy), advance("\x02\x10", 2);
  const auto lines = dwarf.line_program(
      set_address(dwarf, 0x1100) + "\x03\x01" + copy + advance + kEnd +
      set_address(dwarf, 0x1000) + copy + advance + kEnd);
  EXPECT_EQ(lines_of(dwarf, lines, {0x1000, 0x1010, 0x1100, 0x110f, 0x1110}),
            "1000: ? /src/a.c:1\n"
            "1010:\n"
            "1100: ? /src/a.c:2\n"
            "110f: ? /src/a.c:2\n"
            "1110:\n");
}

TEST(DwarfLine, SpecialOpcodesAdvanceBoth) {
  DwarfBuilder dwarf;
  // Opcode 13 + 14 * 3 + 7: three addresses and 7 - 5 lines on. Opcode 8 adds
  // what 255 would: 17 addresses. Opcode 9 takes two bytes.
  const auto lines = dwarf.line_program(
      set_address(dwarf, 0x1000) + "\x01" + static_cast<char>(13 + 42 + 7) +
      "\x08\x01" + std::string("\x09\x00\x01\x01", 4) + kEnd);
  EXPECT_EQ(lines_of(dwarf, lines, {0x1000, 0x1002, 0x1003, 0x1013, 0x1014}),
            "1000: ? /src/a.c:1\n"
            "1002: ? /src/a.c:1\n"
            "1003: ? /src/a.c:3\n"
            "1013: ? /src/a.c:3\n"
            "1014: ? /src/a.c:3\n");
}

TEST(DwarfLine, UnknownOpcodesAreSteppedOver) {
  DwarfBuilder dwarf;
  const auto lines = dwarf.line_program(
      set_address(dwarf, 0x1000) + "\x0c\x85\x01" +    // DW_LNS_set_isa
      std::string("\0\5\x80\1\2\3\4", 7) +             // of a vendor
      std::string("\0\2\4\x07", 4) + "\x01\x02\x10" +  // discriminator
      kEnd);
  EXPECT_EQ(lines_of(dwarf, lines, {0x1000}), "1000: ? /src/a.c:1\n");
}

TEST(DwarfLine, AProgramMayDefineAFile) {
  DwarfBuilder dwarf({.version = 3});
  const auto lines = dwarf.line_program(set_address(dwarf, 0x1000) +
                                        std::string("\0\x08\3d.c\0\0\0\0", 10) +
                                        "\x04\x04\x01\x02\x10" + kEnd);
  EXPECT_EQ(lines_of(dwarf, lines, {0x1000}), "1000: ? /src/d.c:1\n");
}

TEST(DwarfLine, ASequenceThatDoesNotEndIsNotUsed) {
  DwarfBuilder dwarf;
  const auto lines =
      dwarf.line_program(set_address(dwarf, 0x1000) + "\x01\x02\x10");
  EXPECT_EQ(lines_of(dwarf, lines, {0x1000, 0x1010}), "1000:\n1010:\n");
}

TEST(DwarfLine, AMissingFileHasNoName) {
  DwarfBuilder dwarf;
  const auto lines = dwarf.lines({{0x1000, 99, 10}, {0x1010}});
  EXPECT_EQ(lines_of(dwarf, lines, {0x1000}), "1000: ? ?:10\n");
}

TEST(DwarfLine, FilesWithoutBytesAreNotCounted) {
  DwarfBuilder dwarf({.version = 5});
  dwarf.line_program("");
  // The table of files: no fields, 2^35 entries.
  const std::size_t at = dwarf.line.find(std::string("\3\1\x08\2\x0b\5", 6));
  ASSERT_NE(at, std::string::npos);
  dwarf.line.replace(at, 7, std::string("\0\x80\x80\x80\x80\x80\1", 7));
  EXPECT_EQ(lines_of(dwarf, 0, {0x1000}), "1000:\n");
}

TEST(DwarfLine, AProgramWithoutLineRangeIsDamaged) {
  DwarfBuilder dwarf;
  const auto lines = dwarf.lines({{0x1000, 1, 10}, {0x1010}});
  const std::size_t range = dwarf.line.find("\xfb\x0e\x0d");
  ASSERT_NE(range, std::string::npos);
  dwarf.line[range + 1] = '\0';
  EXPECT_EQ(lines_of(dwarf, lines, {0x1000}), "1000:\n");
  DebugInfo info({.main = dwarf.file()});
  resolved(info, {0x1000});
  EXPECT_EQ(info.damaged_units(), 1);
}

}  // namespace
}  // namespace wick

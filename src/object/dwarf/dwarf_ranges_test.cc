// SPDX-License-Identifier: Apache-2.0
#include "object/dwarf/dwarf_ranges.h"

#include <gtest/gtest.h>

#include "builders/debug_info_text.h"

namespace wick {
namespace {

// A unit with one function whose code is the list of ranges in `ranges`.
std::string code_of(DwarfBuilder& dwarf, const DwarfBuilder::Attribute& ranges,
                    const std::vector<std::uint64_t>& addresses) {
  dwarf.begin_unit();
  dwarf.open(DW_TAG_compile_unit,
             {address(DW_AT_low_pc, 0x1000), ranges, offset(DW_AT_addr_base, 8),
              offset(DW_AT_rnglists_base, 12)});
  dwarf.leaf(DW_TAG_subprogram, {text(DW_AT_name, "f"), ranges});
  dwarf.close();
  dwarf.end_unit();
  return resolved(dwarf, addresses);
}

TEST(DwarfRanges, BeforeVersion5ArePairsFromABase) {
  DwarfBuilder dwarf({.version = 4});
  for (const std::uint64_t word :
       {std::uint64_t{0x10}, std::uint64_t{0x20},  // from the unit's low_pc
        ~std::uint64_t{0}, std::uint64_t{0x5000},  // another base
        std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{0}, std::uint64_t{0}})
    dwarf.put_address(dwarf.ranges, word);
  EXPECT_EQ(
      code_of(dwarf, offset(DW_AT_ranges, 0),
              {0x1000, 0x1010, 0x101f, 0x1020, 0x4fff, 0x5000, 0x5007, 0x5008}),
      "1000:\n1010: f ?:0\n101f: f ?:0\n1020:\n"
      "4fff:\n5000: f ?:0\n5007: f ?:0\n5008:\n");
}

TEST(DwarfRanges, OfVersion5HaveManyKinds) {
  DwarfBuilder dwarf({.version = 5});
  dwarf.addr.assign(8, '\0');
  for (const std::uint64_t entry : {0x7000, 0x7010, 0x8000})
    dwarf.put_address(dwarf.addr, entry);
  std::string& list = dwarf.rnglists;
  list.assign(12, '\0');
  dwarf.put_offset(list, 4);               // the list that has number 0
  list += std::string("\x04\x10\x20", 3);  // offset pair, from low_pc
  list += std::string("\x05", 1);          // base address
  dwarf.put_address(list, 0x5000);
  list += std::string("\x04\x00\x08", 3);
  list += std::string("\x06", 1);  // start and end
  dwarf.put_address(list, 0x6000);
  dwarf.put_address(list, 0x6008);
  list += std::string("\x07", 1);  // start and length
  dwarf.put_address(list, 0x6100);
  list += std::string("\x08", 1);
  list += std::string("\x02\x00\x01", 3);  // indexed start and end
  list += std::string("\x03\x02\x08", 3);  // indexed start and length
  list += std::string("\x01\x01", 2);      // indexed base
  list += std::string("\x04\x08\x10", 3);
  list += '\0';
  EXPECT_EQ(code_of(dwarf, {DW_AT_ranges, DW_FORM_rnglistx, 0},
                    {0x1010, 0x1020, 0x5000, 0x5008, 0x6000, 0x6008, 0x6100,
                     0x6108, 0x7000, 0x7010, 0x7018, 0x7020, 0x8000, 0x8008}),
            "1010: f ?:0\n1020:\n5000: f ?:0\n5008:\n6000: f ?:0\n6008:\n"
            "6100: f ?:0\n6108:\n7000: f ?:0\n7010:\n7018: f ?:0\n7020:\n"
            "8000: f ?:0\n8008:\n");
}

TEST(DwarfRanges, AListThatDoesNotEndIsReadAsFarAsItGoes) {
  DwarfBuilder dwarf({.version = 4});
  dwarf.put_address(dwarf.ranges, 0x10);
  dwarf.put_address(dwarf.ranges, 0x20);
  EXPECT_EQ(code_of(dwarf, offset(DW_AT_ranges, 0), {0x1010}), "1010: f ?:0\n");
  DebugInfo info({.main = dwarf.file()});
  resolved(info, {0x1010});
  EXPECT_GT(info.damaged_units(), 0);
}

TEST(DwarfRanges, CodeThatTheLinkerLeftOutIsAtTheEndOfTheAddressSpace) {
  DwarfBuilder dwarf({.version = 5});
  std::string& list = dwarf.rnglists;
  list.assign(12, '\0');
  list += std::string("\x05", 1);
  dwarf.put_address(list, ~std::uint64_t{0});
  list += std::string("\x04\x81\x20\x90\x20", 5);  // wraps to 0x1000
  list += '\0';
  EXPECT_EQ(code_of(dwarf, offset(DW_AT_ranges, 12), {0x1000}), "1000:\n");
}

}  // namespace
}  // namespace wick

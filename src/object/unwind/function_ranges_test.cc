// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/function_ranges.h"

#include <gtest/gtest.h>

#include "builders/cfi_builder.h"
#include "builders/elf_builder.h"

namespace wick {
namespace {

constexpr std::uint64_t kRulesAt = 0x20000, kHeaderAt = 0x30000;

// Functions at 0x1100 and 0x1180, of 64 bytes each.
struct TwoFunctions {
  CfiBuilder cfi{kRulesAt};
  std::uint64_t cie = cfi.add_cie({.program = cfa::def_cfa(7, 8)});
  std::uint64_t first = cfi.add_fde(cie, 0x1100, 64, "");
  std::uint64_t second = cfi.add_fde(cie, 0x1180, 64, "");
};

std::shared_ptr<const ElfFile> file_with(const CfiBuilder& cfi,
                                         const std::string& header) {
  ElfBuilder elf;
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = 0x1000,
                   .content = std::string(0x1000, '\x90')});
  elf.add_section({.name = ".eh_frame",
                   .flags = SHF_ALLOC,
                   .address = kRulesAt,
                   .content = cfi.bytes()});
  elf.add_section({.name = ".eh_frame_hdr",
                   .flags = SHF_ALLOC,
                   .address = kHeaderAt,
                   .content = header});
  return elf.file();
}

TEST(FunctionRanges, AnAddressBelongsToTheFunctionAroundIt) {
  const FunctionRanges ranges(TwoFunctions().cfi.file());
  EXPECT_EQ(ranges.start_of(0x1100), 0x1100);
  EXPECT_EQ(ranges.start_of(0x113f), 0x1100);
  EXPECT_EQ(ranges.start_of(0x1181), 0x1180);
}

TEST(FunctionRanges, CodeWithoutRulesBelongsToNone) {
  const FunctionRanges ranges(TwoFunctions().cfi.file());
  EXPECT_EQ(ranges.start_of(0x10ff), std::nullopt);
  EXPECT_EQ(ranges.start_of(0x1140), std::nullopt);
  EXPECT_EQ(ranges.start_of(0x11c0), std::nullopt);
  EXPECT_EQ(ranges.start_of(0), std::nullopt);
  EXPECT_EQ(ranges.start_of(UINT64_MAX), std::nullopt);
}

TEST(FunctionRanges, TheHeadersTableIsEnough) {
  const TwoFunctions two;
  const FunctionRanges ranges(file_with(
      two.cfi,
      two.cfi.header(kHeaderAt, {{0x1100, two.first}, {0x1180, two.second}})));
  EXPECT_EQ(ranges.start_of(0x1120), 0x1100);
  EXPECT_EQ(ranges.start_of(0x1140), std::nullopt);
}

TEST(FunctionRanges, AHeaderThatContradictsTheRulesIsNotBelieved) {
  const TwoFunctions two;
  const FunctionRanges ranges(file_with(
      two.cfi,
      two.cfi.header(kHeaderAt, {{0x1110, two.first}, {0x1180, two.cie}})));
  EXPECT_EQ(ranges.start_of(0x1120), std::nullopt);
  EXPECT_EQ(ranges.start_of(0x1190), std::nullopt);
}

TEST(FunctionRanges, EveryPrefixOfTheRulesIsSurvived) {
  const std::string all = TwoFunctions().cfi.bytes();
  for (std::size_t size = 0; size < all.size(); ++size) {
    ElfBuilder elf;
    elf.add_section({.name = ".text",
                     .flags = SHF_ALLOC | SHF_EXECINSTR,
                     .address = 0x1000,
                     .content = std::string(0x1000, '\x90')});
    elf.add_section({.name = ".eh_frame",
                     .flags = SHF_ALLOC,
                     .address = kRulesAt,
                     .content = all.substr(0, size)});
    const FunctionRanges ranges(elf.file());
    EXPECT_EQ(ranges.start_of(0x1190), std::nullopt) << size;
  }
}

}  // namespace
}  // namespace wick

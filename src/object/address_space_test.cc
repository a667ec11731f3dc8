// SPDX-License-Identifier: Apache-2.0
#include "object/address_space.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace wick {
namespace {

constexpr ImageId kImageA{1}, kImageB{2};

// "1:100-200@0 2:200-300@50", all hexadecimal.
std::string text(const AddressSpace& space) {
  std::string result;
  for (const Mapping& m : space)
    result += fmt::format("{}{}:{:x}-{:x}@{:x}", result.empty() ? "" : " ",
                          index(m.image), m.start, m.end, m.file_off);
  return result;
}

TEST(AddressSpace, FindsTheMappingAroundAnAddress) {
  AddressSpace space;
  space.map({0x100, 0x200, 0, kImageA});
  space.map({0x300, 0x400, 0, kImageB});
  EXPECT_EQ(space.find(0xff), nullptr);
  EXPECT_EQ(space.find(0x100)->image, kImageA);
  EXPECT_EQ(space.find(0x1ff)->image, kImageA);
  EXPECT_EQ(space.find(0x200), nullptr);
  EXPECT_EQ(space.find(0x3ff)->image, kImageB);
  EXPECT_EQ(space.find(0x400), nullptr);
}

TEST(AddressSpace, ReportsWhereAnAddressIsInItsFile) {
  AddressSpace space;
  space.map({0x1000, 0x3000, 0x500, kImageA});
  EXPECT_EQ(space.find(0x1234)->file_off_of(0x1234), 0x734u);
}

TEST(AddressSpace, ANewMappingCutsAHoleIntoAnOldOne) {
  AddressSpace space;
  space.map({0x1000, 0x5000, 0x100, kImageA});
  space.map({0x2000, 0x3000, 0, kImageB});
  EXPECT_EQ(text(space), "1:1000-2000@100 2:2000-3000@0 1:3000-5000@2100");
}

TEST(AddressSpace, ANewMappingCoversSeveralOldOnes) {
  AddressSpace space;
  space.map({0x1000, 0x2000, 0, kImageA});
  space.map({0x2000, 0x3000, 0, kImageA});
  space.map({0x3000, 0x4000, 0, kImageA});
  space.map({0x1800, 0x3800, 0, kImageB});
  EXPECT_EQ(text(space), "1:1000-1800@0 2:1800-3800@0 1:3800-4000@800");
}

TEST(AddressSpace, TheSameMappingAgainChangesNothing) {
  AddressSpace space;
  space.map({0x1000, 0x2000, 0, kImageA});
  space.map({0x1000, 0x2000, 0, kImageA});
  EXPECT_EQ(text(space), "1:1000-2000@0");
}

TEST(AddressSpace, UnmappingTellsWhetherAnythingWasThere) {
  AddressSpace space;
  space.map({0x1000, 0x2000, 0, kImageA});
  EXPECT_FALSE(space.unmap(0x2000, 0x3000));
  EXPECT_FALSE(space.unmap(0x500, 0x1000));
  EXPECT_TRUE(space.unmap(0x1fff, 0x3000));
  EXPECT_EQ(text(space), "1:1000-1fff@0");
}

TEST(AddressSpace, KnowsWhetherARangeIsFree) {
  AddressSpace space;
  space.map({0x1000, 0x2000, 0, kImageA});
  EXPECT_TRUE(space.has_any(0x1fff, 0x3000));
  EXPECT_TRUE(space.has_any(0, 0x1001));
  EXPECT_FALSE(space.has_any(0x2000, 0x3000));
  EXPECT_FALSE(space.has_any(0, 0x1000));
}

TEST(AddressSpace, AMappingOfNoOrNegativeSizeIsIgnored) {
  AddressSpace space;
  space.map({0x1000, 0x1000, 0, kImageA});
  space.map({0x2000, 0x1000, 0, kImageA});
  EXPECT_TRUE(space.empty());
}

}  // namespace
}  // namespace wick

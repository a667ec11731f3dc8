// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/slices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace wick {
namespace {

// Of node 1 at places 1 and 2, of another hart, and of node 2.
constexpr Slice kSlices[] = {
    {.cycle = 10, .weight = 3, .node = CallNodeId{1}, .hart = 0, .place = 1},
    {.cycle = 11, .weight = 9, .node = CallNodeId{1}, .hart = 7, .place = 0},
    {.cycle = 13, .weight = 4, .node = CallNodeId{1}, .hart = 0, .place = 2},
    {.cycle = 17, .weight = 1, .node = CallNodeId{2}, .hart = 0, .place = 0},
    {.cycle = 18, .weight = 5, .node = CallNodeId{1}, .hart = 0, .place = 1},
};

Slices with(Slices::Limits limits) {
  Slices slices(limits);
  for (const Slice& slice : kSlices) slices.add(slice);
  return slices;
}

// "cycle:node+weight" of each.
std::string text(const Slices& slices) {
  std::string out;
  for (const Slice& slice : slices.all())
    out += fmt::format("{}{}:{}+{}", out.empty() ? "" : " ", slice.cycle,
                       index(slice.node), slice.weight);
  return out;
}

TEST(Slices, AreKeptByPlaceWhileThereAreFew) {
  const Slices slices = with({.all = 9, .with_places = 5});
  EXPECT_TRUE(slices.has_places());
  EXPECT_EQ(text(slices), "10:1+3 11:1+9 13:1+4 17:2+1 18:1+5");
}

TEST(Slices, AreMergedByStackWithoutLossOnceThereAreMany) {
  for (std::size_t limit = 0; limit < 5; ++limit) {
    const Slices slices = with({.all = 9, .with_places = limit});
    EXPECT_FALSE(slices.has_places());
    EXPECT_EQ(text(slices), "10:1+7 11:1+9 17:2+1 18:1+5");
  }
}

TEST(Slices, AreOnlyCountedIfThereAreTooMany) {
  const Slices slices = with({.all = 2, .with_places = 0});
  EXPECT_TRUE(slices.are_too_many());
  EXPECT_EQ(slices.count(), 4u);
  EXPECT_EQ(slices.all().size(), 2u);
}

}  // namespace
}  // namespace wick

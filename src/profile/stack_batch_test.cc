// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_batch.h"

#include <gtest/gtest.h>

#include <random>

namespace wick {
namespace {

std::vector<FrameId> frames(std::initializer_list<std::uint32_t> numbers) {
  std::vector<FrameId> list;
  for (const std::uint32_t number : numbers) list.push_back(FrameId{number});
  return list;
}

StackId push_all(StackTable& stacks, const std::vector<FrameId>& list) {
  StackId id = StackId::kRoot;
  for (const FrameId frame : list) id = stacks.push(id, frame);
  return id;
}

TEST(StackBatch, GivesIdsInTheOrderOfAdding) {
  StackBatch batch;
  batch.add(frames({3, 1}));
  batch.add(frames({1}));
  StackTable stacks;
  const std::vector<StackId> ids = batch.move_to(stacks);
  std::vector<FrameId> found;
  stacks.frames_of(ids[0], found);
  EXPECT_EQ(found, frames({3, 1}));
  stacks.frames_of(ids[1], found);
  EXPECT_EQ(found, frames({1}));
}

TEST(StackBatch, GivesEqualStacksOneId) {
  StackBatch batch;
  batch.add(frames({1, 2, 3}));
  batch.add(frames({1, 2}));
  batch.add(frames({1, 2, 3}));
  StackTable stacks;
  const std::vector<StackId> ids = batch.move_to(stacks);
  EXPECT_EQ(ids[0], ids[2]);
  EXPECT_EQ(stacks.parent(ids[0]), ids[1]);
  EXPECT_EQ(stacks.size(), 4u);
}

TEST(StackBatch, PutsTheEmptyStackAtTheRoot) {
  StackBatch batch;
  batch.add({});
  StackTable stacks;
  EXPECT_EQ(batch.move_to(stacks), std::vector{StackId::kRoot});
}

// A model check: the same stacks pushed frame by frame make the same table, in
// two batches as well.
TEST(StackBatch, MakesTheTableThatPushingMakes) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    StackTable batched, pushed;
    for (int round = 0; round < 2; ++round) {
      StackBatch batch;
      std::vector<std::vector<FrameId>> lists;
      for (int i = 0; i < 300; ++i) {
        std::vector<FrameId> list(random() % 9);
        for (FrameId& frame : list)
          frame = FrameId{static_cast<std::uint32_t>(random() % 4)};
        batch.add(list);
        lists.push_back(list);
      }
      const std::vector<StackId> ids = batch.move_to(batched);
      for (std::size_t i = 0; i < lists.size(); ++i) {
        std::vector<FrameId> found;
        batched.frames_of(ids[i], found);
        EXPECT_EQ(found, lists[i]);
        push_all(pushed, lists[i]);
      }
      EXPECT_EQ(batched.size(), pushed.size());
    }
  }
}

}  // namespace
}  // namespace wick

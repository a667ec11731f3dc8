// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "builders/read.h"

namespace wick {
namespace {

// A random table in which stacks are up to `rows` deep.
StackTable random_stacks(std::uint32_t seed, std::uint32_t rows) {
  std::mt19937 random(seed);
  StackTable stacks;
  for (std::uint32_t i = 1; i < rows; ++i) {
    const auto near = static_cast<std::uint32_t>(random() % 4);
    stacks.append(StackId{i - 1 - std::min(i - 1, near)},
                  FrameId{static_cast<std::uint32_t>(random() % 5)});
  }
  return stacks;
}

TEST(SharedCallers, AgreeWithAWalkToTheRoot) {
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE(seed);
    const StackTable stacks = random_stacks(seed, 200);
    const SharedCallers shared(stacks);
    for (const StackId a : stacks.ids())
      for (const StackId b : stacks.ids()) {
        StackId x = a, y = b;
        // Callers have smaller numbers.
        while (x != y) (x > y ? x : y) = stacks.parent(std::max(x, y));
        ASSERT_EQ(shared.of(a, b), x);
      }
  }
}

TEST(StackPath, GivesTheFramesThatDifferFromTheStackBefore) {
  const StackTable stacks = random_stacks(1, 100);
  // Frames 1 and 3 are the same, as are 2 and 4.
  const auto key_of = [](FrameId frame) { return index(frame) % 2; };
  StackPath path(stacks, key_of);
  std::vector<FrameId> before, frames;
  for (const StackId id : stacks.ids()) {
    stacks.frames_of(id, frames);
    const auto same = static_cast<std::size_t>(
        std::ranges::mismatch(frames, before, {}, key_of, key_of).in1 -
        frames.begin());
    ASSERT_EQ(path.move_to(id), same);
    ASSERT_EQ(
        path.new_frames(),
        std::vector<FrameId>(frames.begin() + static_cast<std::ptrdiff_t>(same),
                             frames.end()));
    before = frames;
  }
}

TEST(StackPath, StartsOverAfterClear) {
  StackTable stacks;
  const StackId stack = stacks.push(stacks.push({}, FrameId{1}), FrameId{2});
  StackPath path(stacks, [](FrameId frame) { return index(frame); });
  EXPECT_EQ(path.move_to(stack), 0u);
  EXPECT_EQ(path.move_to(stack), 2u);
  path.clear();
  EXPECT_EQ(path.move_to(stack), 0u);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_tree.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace wick {
namespace {

// Frames 10, 11, 12 … have the keys 0, 1, 2 …, and so have 20, 21, 22 …
std::uint32_t key_of(FrameId frame) { return index(frame) % 10; }

StackId pushed(StackTable& stacks,
               std::initializer_list<std::uint32_t> frames) {
  StackId stack = StackId::kRoot;
  for (const std::uint32_t frame : frames)
    stack = stacks.push(stack, FrameId{frame});
  return stack;
}

// "parent/key" of each node after the root.
std::string nodes_text(const StackTree& tree) {
  std::string text;
  for (std::size_t i = 1; i < tree.size(); ++i)
    text += fmt::format(" {}/{}", tree.nodes()[i].parent, tree.nodes()[i].key);
  return text;
}

TEST(StackTree, FramesOfOneKeyShareANode) {
  StackTable stacks;
  const StackId first = pushed(stacks, {10, 11}),
                second = pushed(stacks, {20, 12});
  StackTree tree;
  StackCarrier carrier(tree, stacks);
  EXPECT_EQ(carrier.carry(StackTree::kRoot, first, key_of), 2u);
  EXPECT_EQ(carrier.carry(StackTree::kRoot, second, key_of), 3u);
  EXPECT_EQ(nodes_text(tree), " 0/0 1/1 1/2");
}

TEST(StackTree, ANodeKeepsItsFirstFrame) {
  StackTable stacks;
  StackTree tree;
  const StackId first = pushed(stacks, {20}), second = pushed(stacks, {10});
  StackCarrier carrier(tree, stacks);
  carrier.carry(StackTree::kRoot, first, key_of);
  carrier.carry(StackTree::kRoot, second, key_of);
  EXPECT_EQ(tree.nodes()[1].frame, FrameId{20});
}

TEST(StackTree, KeepsRootsApart) {
  StackTable stacks;
  const StackId stack = pushed(stacks, {10});
  StackTree tree;
  const std::uint32_t a = tree.push(StackTree::kRoot, 7);
  const std::uint32_t b = tree.push(StackTree::kRoot, 8);
  StackCarrier carrier(tree, stacks);
  carrier.carry(a, stack, key_of);
  carrier.carry(b, stack, key_of);
  EXPECT_EQ(nodes_text(tree), " 0/7 0/8 1/0 2/0");
}

TEST(StackTree, CutsStacksAtTheDepth) {
  StackTable stacks;
  const StackId stack = pushed(stacks, {10, 11, 12, 13});
  StackTree tree;
  StackCarrier carrier(tree, stacks, 2);
  EXPECT_EQ(carrier.carry(StackTree::kRoot, stack, key_of), 2u);
  EXPECT_EQ(nodes_text(tree), " 0/0 1/1");
  EXPECT_EQ(carrier.too_deep(), 2u);
}

TEST(StackTree, ListsChildrenByTheRankOfTheirKeys) {
  StackTree tree;
  for (const std::uint32_t key : {0u, 1u, 2u}) tree.push(StackTree::kRoot, key);
  EXPECT_EQ(tree.children().ids, (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(tree.children_by({1, 2, 0}).ids,
            (std::vector<std::uint32_t>{3, 1, 2}));
}

}  // namespace
}  // namespace wick

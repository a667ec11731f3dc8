// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_tree.h"

#include <algorithm>
#include <numeric>

namespace wick {

std::uint32_t StackTree::append(std::uint32_t parent, std::uint32_t key,
                                FrameId frame) {
  nodes_.push_back({parent, key, frame, nodes_[parent].depth + 1});
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

std::uint32_t StackTree::push(std::uint32_t parent, std::uint32_t key,
                              FrameId frame) {
  return index_.find_or_add(
      hash_pair(parent, key),
      [&](std::uint32_t row) {
        return nodes_[row].parent == parent && nodes_[row].key == key;
      },
      [&] { return append(parent, key, frame); });
}

StackTree::Children StackTree::children() const {
  Children children{.first = std::vector<std::uint32_t>(size() + 1),
                    .ids = std::vector<std::uint32_t>(size() - 1)};
  for (std::size_t i = 1; i < size(); ++i)
    ++children.first[nodes_[i].parent + 1];
  std::partial_sum(children.first.begin(), children.first.end(),
                   children.first.begin());
  std::vector<std::uint32_t> next = children.first;
  for (std::uint32_t i = 1; i < size(); ++i)
    children.ids[next[nodes_[i].parent]++] = i;
  return children;
}

StackTree::Children StackTree::children_by(
    const std::vector<std::uint32_t>& rank) const {
  Children children = this->children();
  const auto& first = children.first;
  for (std::size_t i = 0; i < size(); ++i)
    if (first[i + 1] - first[i] > 1)
      std::sort(children.ids.begin() + first[i],
                children.ids.begin() + first[i + 1],
                [&](std::uint32_t a, std::uint32_t b) {
                  return rank[nodes_[a].key] < rank[nodes_[b].key];
                });
  return children;
}

}  // namespace wick

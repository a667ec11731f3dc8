// SPDX-License-Identifier: Apache-2.0
// A tree of stacks in which frames with equal keys share a node: what fold()
// and the viewer's page are made from. The caller chooses the keys (a printed
// name, or a name with its file and line) and keeps what belongs to a node in
// columns of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash_index.h"
#include "base/id.h"
#include "base/metrics.h"
#include "profile/tables.h"

namespace wick {

class StackTree {
 public:
  static constexpr std::uint32_t kRoot = 0;
  // The frame of a node that was not made from one, such as a thread's.
  static constexpr FrameId kNoFrame{0xffffffff};

  struct Node {
    std::uint32_t parent = kRoot;
    std::uint32_t key = 0;
    FrameId frame = kNoFrame;  // the first one with this key
    std::uint32_t depth = 0;   // of the root: 0
  };

  // Parents come before their children.
  const std::vector<Node>& nodes() const { return nodes_; }
  std::size_t size() const { return nodes_.size(); }

  // The child of `parent` with this key, added if there is none.
  std::uint32_t push(std::uint32_t parent, std::uint32_t key,
                     FrameId frame = kNoFrame);
  // Always a new child.
  std::uint32_t append(std::uint32_t parent, std::uint32_t key,
                       FrameId frame = kNoFrame);

  // The children of node i are ids[first[i]] … ids[first[i + 1] - 1].
  struct Children {
    std::vector<std::uint32_t> first, ids;
  };
  // In the order in which they were added.
  Children children() const;
  // By rank[key].
  Children children_by(const std::vector<std::uint32_t>& rank) const;

 private:
  std::vector<Node> nodes_{Node{}};
  HashIndex index_;
};

// Carries stacks into a tree. Stacks share their callers, so each row of the
// stack table is carried once under each root, if the stacks of a root come one
// after the other.
class StackCarrier {
 public:
  // Stacks are cut at `max_depth`.
  StackCarrier(StackTree& tree, const StackTable& stacks,
               std::uint32_t max_depth = UINT32_MAX)
      : tree_(tree),
        stacks_(stacks),
        max_depth_(max_depth),
        node_of_(stacks.size()),
        carried_for_(stacks.size(), kNone) {}

  // The node at which `stack` ends below the node `root`. key_of(FrameId) gives
  // the key of a frame.
  template <class KeyOf>
  std::uint32_t carry(std::uint32_t root, StackId stack, KeyOf key_of) {
    pending_.clear();
    while (stack != StackId::kRoot && carried_for_[stack] != root) {
      pending_.push_back(stack);
      stack = stacks_.parent(stack);
    }
    count_steps(pending_.size());
    std::uint32_t node = stack == StackId::kRoot ? root : node_of_[stack];
    for (std::size_t i = pending_.size(); i-- > 0;) {
      const FrameId frame = stacks_.frame(pending_[i]);
      if (tree_.nodes()[node].depth >= max_depth_)
        ++too_deep_;
      else
        node = tree_.push(node, key_of(frame), frame);
      node_of_[pending_[i]] = node;
      carried_for_[pending_[i]] = root;
    }
    return node;
  }

  // How many rows lay beyond max_depth.
  std::uint64_t too_deep() const { return too_deep_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  StackTree& tree_;
  const StackTable& stacks_;
  std::uint32_t max_depth_;
  std::uint64_t too_deep_ = 0;
  // The node of each stack, and the root that it was carried for.
  Column<StackId, std::uint32_t> node_of_, carried_for_;
  std::vector<StackId> pending_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Counts cycles in a tree of calling contexts, with a row of counters for each
// context: one for every place (inlined call, line) of its function. An
// instruction costs one addition; memory grows with the number of distinct
// stacks.
//
// Sometimes a caller becomes known only later: what a fault interrupted if it
// was taken between a call and its target, or which thread it is that the
// kernel has resumed. Until then, a pending node stands for the caller, and the
// subtree below it is a copy of its own. settle() adds that to where it
// belongs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/hash_index.h"
#include "base/pieces.h"
#include "itrace/code/code_map.h"

namespace wick {

enum class CallNodeId : std::uint32_t { kRoot = 0 };

class Accounts {
 public:
  struct Counter {
    std::uint64_t weight = 0, instructions = 0;
  };
  // A function that was called from one place of its caller.
  struct Node {
    CallNodeId caller = CallNodeId::kRoot;
    FunctionId function = FunctionId::kNone;
    std::uint32_t thread = 0;
    std::uint32_t first_counter = 0, places = 1;
    std::uint32_t depth = 0;
    std::uint16_t place = 0;                    // of the call, in the caller
    std::uint64_t calls = 0;                    // how often it was entered
    CallNodeId last_child = CallNodeId::kRoot;  // last result of child()
    // The pending node above it; kRoot: none.
    CallNodeId pending = CallNodeId::kRoot;
    CallNodeId moved_to = CallNodeId::kRoot;  // by settle(); depth is 0 then
  };

  Accounts();

  // The bottom of a thread's stacks, which is not a function.
  CallNodeId root(std::uint32_t thread);
  // `places` is the number of places of the function. Beyond kMaxDepth and
  // kMaxNodes, returns the caller itself: what is deeper counts as part of it.
  CallNodeId child(CallNodeId caller, std::uint16_t place, FunctionId function,
                   std::uint32_t places);

  // --- Callers that become known later

  // A caller to be known later. If it never is, it is `caller`, at `place`.
  CallNodeId make_pending(CallNodeId caller, std::uint16_t place);
  // What was called by `pending` was called by `caller` at `place`. Nodes below
  // `pending` no longer exist then; those in `in_use` are replaced.
  void settle(CallNodeId pending, CallNodeId caller, std::uint16_t place,
              std::span<CallNodeId* const> in_use = {});
  // It remains what it is by default.
  void settle(CallNodeId pending);
  // So do all that are left.
  void settle_rest();
  // From now on, nodes that were moved are remembered, for resolved().
  void keep_moved() { keeps_moved_ = true; }
  // Where a node is that may have been moved.
  CallNodeId resolved(CallNodeId id) const {
    while (nodes_[id].moved_to != CallNodeId::kRoot) id = nodes_[id].moved_to;
    return id;
  }

  // --- Threads that have ended

  // What thread t collected is added to heirs[t], wherever that is another
  // thread, and its nodes are used again. Leaves out threads with something
  // pending. Not with keep_moved().
  void merge_threads(std::span<const std::uint32_t> heirs);

  const Node& operator[](CallNodeId id) const { return nodes_[id]; }
  Node& operator[](CallNodeId id) { return nodes_[id]; }
  auto ids() const { return nodes_.ids(); }
  std::size_t size() const { return nodes_.size(); }
  // Without nodes that are to be used again.
  std::size_t in_use() const { return nodes_.size() - free_count_; }

  // `place` if the node has it, else 0: what is too deep has other places than
  // the caller that it counts for.
  std::uint16_t place_in(CallNodeId id, std::uint16_t place) const {
    return place < nodes_[id].places ? place : std::uint16_t{0};
  }
  // The first counter of a node, which the others follow. Lives as long as the
  // node.
  Counter* row(CallNodeId id) { return &counters_[nodes_[id].first_counter]; }
  const Counter& counter(CallNodeId id, std::uint32_t place) const {
    return counters_[nodes_[id].first_counter + place];
  }
  std::uint64_t too_deep() const { return too_deep_; }

  static constexpr std::uint32_t kMaxDepth = 4096;
  static constexpr std::size_t kMaxNodes = std::size_t{1} << 25;

 private:
  // What is below a pending node.
  struct Pending {
    CallNodeId caller;  // unless settle() says otherwise
    std::uint16_t place = 0;
    std::vector<CallNodeId> nodes;  // callers first
    absl::flat_hash_map<std::pair<std::uint64_t, std::uint16_t>, CallNodeId>
        children;
  };
  CallNodeId add(const Node& node);
  CallNodeId pending_child(CallNodeId pending, const Node& wanted);
  void move(CallNodeId from, CallNodeId to);
  void free(CallNodeId id);
  CallNodeId find_root(std::uint32_t thread) const;  // kRoot: none
  std::uint64_t hash_of_root(std::uint32_t thread) const {
    return hash_pair(thread, ~std::uint64_t{0});
  }
  std::uint64_t hash_of(const Node& node) const {
    return hash_pair(
        std::uint64_t{index(node.caller)} << 32 | index(node.function),
        node.place);
  }

  PieceColumn<CallNodeId, Node, 10> nodes_;
  Pieces<Counter, 14> counters_;
  HashIndex index_;
  std::uint64_t too_deep_ = 0;
  std::map<CallNodeId, Pending> pending_;  // by node
  bool keeps_moved_ = false;
  // Nodes that were moved, by their number of places, to be used again.
  absl::flat_hash_map<std::uint32_t, std::vector<CallNodeId>> free_;
  std::size_t free_count_ = 0;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Counts cycles in a tree of calling contexts, with a row of counters for each
// context: one for every place (inlined call, line) of its function. An
// instruction costs one addition; memory grows with the number of distinct
// stacks.
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash_index.h"
#include "base/id.h"
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
  };

  Accounts();

  // The bottom of a thread's stacks, which is not a function.
  CallNodeId root(std::uint32_t thread);
  // `places` is the number of places of the function. Beyond kMaxDepth and
  // kMaxNodes, returns the caller itself: what is deeper counts as part of it.
  CallNodeId child(CallNodeId caller, std::uint16_t place, FunctionId function,
                   std::uint32_t places);

  const Node& operator[](CallNodeId id) const { return nodes_[id]; }
  Node& operator[](CallNodeId id) { return nodes_[id]; }
  auto ids() const { return nodes_.ids(); }
  std::size_t size() const { return nodes_.size(); }

  // `place` if the node has it, else 0: what is too deep has other places than
  // the caller that it counts for.
  std::uint16_t place_in(CallNodeId id, std::uint16_t place) const {
    return place < nodes_[id].places ? place : std::uint16_t{0};
  }
  // The first counter of a node; valid until the next node is made.
  Counter* row(CallNodeId id) { return &counters_[nodes_[id].first_counter]; }
  Counter& counter(std::uint32_t i) { return counters_[i]; }
  const Counter& counter(CallNodeId id, std::uint32_t place) const {
    return counters_[nodes_[id].first_counter + place];
  }
  std::uint64_t too_deep() const { return too_deep_; }

  static constexpr std::uint32_t kMaxDepth = 4096;
  static constexpr std::size_t kMaxNodes = std::size_t{1} << 25;

 private:
  CallNodeId add(const Node& node);

  Column<CallNodeId, Node> nodes_;
  std::vector<Counter> counters_;
  HashIndex index_;
  std::uint64_t too_deep_ = 0;
};

}  // namespace wick

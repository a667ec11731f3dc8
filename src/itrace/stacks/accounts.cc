// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/accounts.h"

namespace wick {

Accounts::Accounts() { add({}); }

CallNodeId Accounts::add(const Node& node) {
  const CallNodeId id = nodes_.push_back(node);
  nodes_[id].first_counter = static_cast<std::uint32_t>(counters_.size());
  counters_.resize(counters_.size() + node.places);
  return id;
}

CallNodeId Accounts::root(std::uint32_t thread) {
  return CallNodeId{index_.find_or_add(
      hash_pair(thread, ~std::uint64_t{0}),
      [&](std::uint32_t row) {
        const Node& node = nodes_[CallNodeId{row}];
        return node.depth == 0 && node.thread == thread && row != 0;
      },
      [&] { return index(add({.thread = thread})); })};
}

CallNodeId Accounts::child(CallNodeId caller, std::uint16_t place,
                           FunctionId function, std::uint32_t places) {
  const CallNodeId last = nodes_[caller].last_child;
  if (last != CallNodeId::kRoot && nodes_[last].function == function &&
      nodes_[last].place == place)
    return last;
  const std::uint32_t depth = nodes_[caller].depth + 1;
  if (depth > kMaxDepth || nodes_.size() >= kMaxNodes) {
    ++too_deep_;
    return caller;
  }
  const CallNodeId found{index_.find_or_add(
      hash_pair(std::uint64_t{index(caller)} << 32 | index(function), place),
      [&](std::uint32_t row) {
        const Node& node = nodes_[CallNodeId{row}];
        return node.caller == caller && node.function == function &&
               node.place == place && node.depth != 0;
      },
      [&] {
        return index(add({.caller = caller,
                          .function = function,
                          .thread = nodes_[caller].thread,
                          .places = places,
                          .depth = depth,
                          .place = place}));
      })};
  nodes_[caller].last_child = found;
  return found;
}

}  // namespace wick

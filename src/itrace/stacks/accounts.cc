// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/accounts.h"

#include <algorithm>
#include <utility>

namespace wick {
namespace {

// Row 0 is of no thread, and not in the index.
bool is_root(const Accounts::Node& node, std::uint32_t thread) {
  return node.depth == 0 && node.thread == thread;
}

}  // namespace

Accounts::Accounts() { add({}); }

CallNodeId Accounts::add(const Node& node) {
  if (const auto free = free_.find(node.places);
      free != free_.end() && !free->second.empty()) {
    const CallNodeId id = free->second.back();
    free->second.pop_back();
    --free_count_;
    const std::uint32_t counters = nodes_[id].first_counter;
    nodes_[id] = node;
    nodes_[id].first_counter = counters;
    return id;
  }
  const CallNodeId id = nodes_.push_back(node);
  nodes_[id].first_counter =
      static_cast<std::uint32_t>(counters_.add(node.places));
  return id;
}

CallNodeId Accounts::root(std::uint32_t thread) {
  return CallNodeId{index_.find_or_add(
      hash_of_root(thread),
      [&](std::uint32_t row) {
        return is_root(nodes_[CallNodeId{row}], thread);
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
  const Node wanted{.caller = caller,
                    .function = function,
                    .thread = nodes_[caller].thread,
                    .places = places,
                    .depth = depth,
                    .place = place};
  if (const CallNodeId pending = nodes_[caller].pending;
      pending != CallNodeId::kRoot) {
    const CallNodeId found = pending_child(pending, wanted);
    nodes_[caller].last_child = found;
    return found;
  }
  const CallNodeId found{index_.find_or_add(
      hash_of(wanted),
      [&](std::uint32_t row) {
        const Node& node = nodes_[CallNodeId{row}];
        return node.caller == caller && node.function == function &&
               node.place == place && node.depth != 0;
      },
      [&] { return index(add(wanted)); })};
  nodes_[caller].last_child = found;
  return found;
}

CallNodeId Accounts::make_pending(CallNodeId caller, std::uint16_t place) {
  const CallNodeId id = add({.caller = caller,
                             .thread = nodes_[caller].thread,
                             .depth = nodes_[caller].depth,
                             .place = place});
  nodes_[id].pending = id;
  pending_[id] = {.caller = caller, .place = place};
  return id;
}

CallNodeId Accounts::pending_child(CallNodeId pending, const Node& wanted) {
  Pending& all = pending_.at(pending);
  const std::pair key{
      std::uint64_t{index(wanted.caller)} << 32 | index(wanted.function),
      wanted.place};
  const auto [at, is_new] = all.children.try_emplace(key);
  if (is_new) {
    at->second = add(wanted);
    nodes_[at->second].pending = pending;
    all.nodes.push_back(at->second);
  }
  return at->second;
}

void Accounts::settle(CallNodeId pending, CallNodeId caller,
                      std::uint16_t place,
                      std::span<CallNodeId* const> in_use) {
  const auto at = pending_.find(pending);
  const Pending all = std::move(at->second);
  pending_.erase(at);
  place = place_in(caller, place);
  nodes_[pending].moved_to = caller;
  for (const CallNodeId id : all.nodes) {
    const Node node = nodes_[id];
    const bool is_first = node.caller == pending;
    move(id, child(nodes_[node.caller].moved_to, is_first ? place : node.place,
                   node.function, node.places));
  }
  for (CallNodeId* const id : in_use) *id = resolved(*id);
  for (auto& [other, rest] : pending_) rest.caller = resolved(rest.caller);
  nodes_[pending].depth = 0;
  if (keeps_moved_) return;
  free(pending);
  for (const CallNodeId id : all.nodes) free(id);
}

void Accounts::free(CallNodeId id) {
  nodes_[id].moved_to = CallNodeId::kRoot;
  free_[nodes_[id].places].push_back(id);
  ++free_count_;
}

void Accounts::move(CallNodeId from, CallNodeId to) {
  Node& node = nodes_[from];
  nodes_[to].calls += std::exchange(node.calls, 0);
  for (std::uint32_t i = 0; i < node.places; ++i) {
    Counter& counter = counters_[node.first_counter + i];
    // What is too deep counts for its caller, which has other places.
    Counter& sum = counters_[nodes_[to].first_counter +
                             place_in(to, static_cast<std::uint16_t>(i))];
    sum.weight += counter.weight;
    sum.instructions += counter.instructions;
    counter = {};
  }
  node.depth = 0;
  node.moved_to = to;
}

void Accounts::settle(CallNodeId pending) {
  const Pending& what = pending_.at(pending);
  settle(pending, what.caller, what.place);
}

void Accounts::settle_rest() {
  while (!pending_.empty()) settle(pending_.begin()->first);
}

void Accounts::merge_threads(std::span<const std::uint32_t> heirs) {
  std::vector<std::uint32_t> heir_of(heirs.begin(), heirs.end());
  for (const auto& [id, what] : pending_)
    heir_of[nodes_[id].thread] = nodes_[id].thread;
  std::vector<CallNodeId> moved;
  for (std::uint32_t thread = 0; thread < heir_of.size(); ++thread) {
    const CallNodeId id = find_root(thread);
    if (id == CallNodeId::kRoot || heir_of[thread] == thread) continue;
    move(id, root(heir_of[thread]));
    moved.push_back(id);
    index_.erase(hash_of_root(thread), index(id));
  }
  const auto is_to_move = [&](CallNodeId id) {
    const Node& node = nodes_[id];
    return node.depth != 0 && heir_of[node.thread] != node.thread;
  };
  std::vector<CallNodeId> path;
  for (const CallNodeId first : nodes_.ids()) {
    // A caller may be a later row than its callees.
    for (CallNodeId id = first; is_to_move(id); id = nodes_[id].caller)
      path.push_back(id);
    for (; !path.empty(); path.pop_back()) {
      const CallNodeId id = path.back();
      const Node node = nodes_[id];
      move(id, child(nodes_[node.caller].moved_to, node.place, node.function,
                     node.places));
      moved.push_back(id);
      index_.erase(hash_of(node), index(id));
    }
  }
  for (const CallNodeId id : moved) free(id);
}

CallNodeId Accounts::find_root(std::uint32_t thread) const {
  const std::uint32_t row =
      index_.find(hash_of_root(thread), [&](std::uint32_t at) {
        return is_root(nodes_[CallNodeId{at}], thread);
      });
  return row == HashIndex::kNone ? CallNodeId::kRoot : CallNodeId{row};
}

}  // namespace wick

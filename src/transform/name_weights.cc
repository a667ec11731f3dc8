// SPDX-License-Identifier: Apache-2.0
#include "transform/name_weights.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/bytes.h"

namespace wick {
namespace {

void add(std::int64_t& sum, std::int64_t weight) {
  sum = saturating_add(sum, weight);
}

// Rows by name, added on first use.
template <class Row>
class ByName {
 public:
  explicit ByName(const FlameGraph& graph)
      : row_of_(graph.strings.size(), kNone) {}

  Row& operator[](StringId name) {
    std::uint32_t& row = row_of_[name];
    if (row == kNone) {
      row = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back({.name = name});
    }
    return rows_[row];
  }
  std::vector<Row> take() { return std::move(rows_); }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  Column<StringId, std::uint32_t> row_of_;
  std::vector<Row> rows_;
};

// Tracks the path to the current node of a loop over all nodes, which are in
// preorder: calls leave(id) for each node whose subtree has ended.
class Path {
 public:
  template <class Leave>
  void enter(const FlameGraph& graph, NodeId id, Leave leave) {
    while (!open_.empty() && open_.back() != graph.parent[id]) {
      leave(open_.back());
      open_.pop_back();
    }
    open_.push_back(id);
  }

 private:
  std::vector<NodeId> open_;
};

}  // namespace

std::vector<NameWeight> sum_by_name(const FlameGraph& graph) {
  ByName<NameWeight> rows(graph);
  Column<StringId, std::uint32_t> open(graph.strings.size());
  Path path;
  for (const NodeId id : graph.ids()) {
    if (id == NodeId::kRoot) {
      const std::int64_t before =
          graph.is_difference ? graph.before_self[id] : 0;
      if (graph.self[id] != 0 || before != 0)
        rows[StringId::kEmpty] = {.self = graph.self[id],
                                  .total = graph.self[id],
                                  .before_self = before,
                                  .before_total = before};
      continue;
    }
    const StringId name = graph.name[id];
    path.enter(graph, id, [&](NodeId left) { --open[graph.name[left]]; });
    const bool outermost = open[name]++ == 0;
    NameWeight& row = rows[name];
    add(row.self, graph.self[id]);
    if (outermost) add(row.total, graph.total[id]);
    if (graph.is_difference) {
      add(row.before_self, graph.before_self[id]);
      if (outermost) add(row.before_total, graph.before_total[id]);
    }
  }
  return rows.take();
}

std::vector<Neighbour> callers_of(const FlameGraph& graph,
                                  const NameSet& chosen) {
  ByName<Neighbour> rows(graph);
  std::uint32_t open = 0;
  Path path;
  for (const NodeId id : graph.ids()) {
    if (id == NodeId::kRoot) continue;
    path.enter(graph, id,
               [&](NodeId left) { open -= chosen[graph.name[left]]; });
    if (!chosen[graph.name[id]]) continue;
    if (open++ == 0)
      add(rows[graph.name[graph.parent[id]]].weight, graph.total[id]);
  }
  return rows.take();
}

std::vector<Neighbour> callees_of(const FlameGraph& graph,
                                  const NameSet& chosen) {
  // The weight of the stacks through a node without a chosen name in it or
  // below it.
  Column<NodeId, std::int64_t> without(graph.size());
  ByName<Neighbour> rows(graph);
  for (const NodeId id : graph.ids() | std::views::reverse) {
    if (id == NodeId::kRoot) continue;
    if (chosen[graph.name[id]]) {
      without[id] = 0;
      if (graph.self[id] != 0)
        add(rows[StringId::kEmpty].weight, graph.self[id]);
      continue;
    }
    add(without[id], graph.self[id]);
    const NodeId parent = graph.parent[id];
    add(without[parent], without[id]);
    if (parent != NodeId::kRoot && chosen[graph.name[parent]] &&
        without[id] != 0)
      add(rows[graph.name[id]].weight, without[id]);
  }
  return rows.take();
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "render/layout.h"

#include <algorithm>
#include <ranges>

#include "base/bytes.h"

namespace wick {
namespace {

using Weights = Column<NodeId, std::int64_t>;

// The weight of each node outside its children: its self weight and what was
// left out below it.
Weights rest(const Weights& total, const FlameGraph& graph) {
  Weights rest = total;
  for (const NodeId id : graph.ids())
    if (id != NodeId::kRoot)
      rest[graph.parent[id]] =
          std::max<std::int64_t>(0, rest[graph.parent[id]] - total[id]);
  return rest;
}

Weights extents(const FlameGraph& graph, bool after_only) {
  if (!graph.is_difference || after_only) return graph.total;
  Weights extent = rest(graph.total, graph);
  const Weights before = rest(graph.before_total, graph);
  for (const NodeId id : graph.ids())
    extent[id] = std::max(extent[id], before[id]);
  for (const NodeId id : graph.ids() | std::views::reverse)
    if (id != NodeId::kRoot)
      extent[graph.parent[id]] =
          saturating_add(extent[graph.parent[id]], extent[id]);
  return extent;
}

void drop_narrow(const FlameGraph& graph, double min_share, Layout& layout) {
  const double least = min_share * static_cast<double>(layout.whole);
  for (const NodeId id : graph.ids()) {
    if (id == NodeId::kRoot || layout.extent[id] == 0) continue;
    if (!layout.is_drawn(graph.parent[id]) ||
        static_cast<double>(layout.extent[id]) < least) {
      layout.extent[id] = 0;
      ++layout.too_narrow;
    }
  }
}

}  // namespace

Layout lay_out(const FlameGraph& graph, const LayoutOptions& options) {
  Layout layout;
  layout.extent = extents(graph, options.after_only);
  layout.whole = layout.extent[NodeId::kRoot];
  layout.start.resize(graph.size());
  layout.depth.resize(graph.size());
  const Weights own = rest(layout.extent, graph);
  drop_narrow(graph, options.min_share, layout);
  const bool has_starts = !graph.start.empty() && !graph.is_difference;
  // Where the next child of each node begins.
  Weights next(graph.size());
  for (const NodeId id : graph.ids()) {
    if (id != NodeId::kRoot) {
      const NodeId parent = graph.parent[id];
      layout.start[id] = has_starts ? graph.start[id] : next[parent];
      layout.depth[id] = layout.depth[parent] + 1;
      next[parent] = saturating_add(next[parent], layout.extent[id]);
    }
    next[id] = saturating_add(layout.start[id], own[id]);
    if (!layout.is_drawn(id)) continue;
    layout.max_depth = std::max(layout.max_depth, layout.depth[id]);
    ++layout.drawn;
  }
  return layout;
}

}  // namespace wick

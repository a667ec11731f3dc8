// SPDX-License-Identifier: Apache-2.0
// The positions of a flame graph's frames. They are weights, so they are exact;
// divide by `whole` to draw.
#pragma once

#include <cstdint>

#include "profile/fold.h"

namespace wick {

struct LayoutOptions {
  // Widths are the weights after, as in inferno: stacks that vanished have no
  // width. If false, a stack of a difference gets the larger of its weights.
  bool after_only = false;
  // Narrower frames are not drawn. fold() prunes more cheaply; this is for
  // widths that fold() does not know.
  double min_share = 0;
};

struct Layout {
  Column<NodeId, std::int64_t> start, extent;  // extent 0: not drawn
  Column<NodeId, std::uint32_t> depth;         // of the root: 0
  std::int64_t whole = 0;                      // extent of the root
  std::uint32_t max_depth = 0;                 // of drawn frames
  std::uint64_t drawn = 0;
  std::uint64_t too_narrow = 0;  // left out because of min_share

  bool is_drawn(NodeId id) const { return extent[id] > 0; }
};

// A frame lies within its caller. Its self weight is at the left, followed by
// its callees in their order; in a chart, callees are where they ran.
Layout lay_out(const FlameGraph& graph, const LayoutOptions& options);

}  // namespace wick

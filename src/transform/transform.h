// SPDX-License-Identifier: Apache-2.0
// Profile → Profile.
#pragma once

#include <functional>
#include <vector>

#include "profile/profile.h"

namespace wick {

// Replaces each distinct frame by a list of frames (outermost first; an empty
// list drops the frame) and rebuilds each distinct stack once. Symbolizing,
// demangling, hiding and grouping are all this; the cost is per distinct frame
// and stack. `expand` may intern strings and modules in the profile it gets.
using ExpandFrame =
    std::function<void(Profile&, const Frame&, std::vector<Frame>& out)>;
Profile replace_frames(Profile profile, const ExpandFrame& expand);

// Moves each distinct stack into a new table, frame by frame from its root. The
// cost is per row of the table: stacks are never spelled out.
struct MoveStack {
  // The stack of `frame` called from `caller` in the new table, or another one
  // there.
  std::function<StackId(StackTable& to, StackId caller, FrameId frame)> push;
  // Whether stacks begin at this frame, wherever it is innermost; none if null.
  std::function<bool(FrameId)> begins_at = nullptr;
  // Whether the leaf of a stack is not asked for that.
  bool skips_leaf = false;
};
Profile move_stacks(Profile profile, const MoveStack& move);

// Replaces each distinct stack by another one, made from its frames (outermost
// first).
using RewriteStack =
    std::function<void(const Profile&, std::vector<FrameId>& frames)>;
Profile rewrite_stacks(Profile profile, const RewriteStack& rewrite);

}  // namespace wick

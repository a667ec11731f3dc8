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

// Replaces each distinct stack by another one, made from its frames (outermost
// first).
using RewriteStack =
    std::function<void(const Profile&, std::vector<FrameId>& frames)>;
Profile rewrite_stacks(Profile profile, const RewriteStack& rewrite);

}  // namespace wick

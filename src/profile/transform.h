// SPDX-License-Identifier: Apache-2.0
// Profile → Profile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace wick {

// Gives each distinct frame a list of frames (outermost first; none drops the
// frame) and rebuilds each distinct stack once. Symbolizing, demangling,
// hiding and grouping are all this; the cost is per distinct frame and stack.
// `expand` may intern strings and modules in the profile it is given.
using ExpandFrame =
    std::function<void(Profile&, const Frame&, std::vector<Frame>& out)>;
Profile replace_frames(Profile profile, const ExpandFrame& expand);

// Gives each distinct stack another one, made of its frames (outermost first).
using RewriteStack =
    std::function<void(const Profile&, std::vector<FrameId>& frames)>;
Profile rewrite_stacks(Profile profile, const RewriteStack& rewrite);

// Adds all of `other` to `profile`: equal threads and events become one.
void merge(Profile& profile, const Profile& other);

// Which samples, and which frames of them, the user wants to see. Everything
// left out is noted with its weight.
struct Selection {
  // An event by name, "*" for all; "" for the first one in the input and those
  // like it: `cpu_core/cycles/` and `cpu_atom/cycles/`, `cycles:u` and
  // `cycles:k` are one event on two kinds of core and in two modes.
  std::string event;
  std::optional<std::int32_t> pid, tid;
  std::string comm;
  // Seconds from the first sample, or of the input's clock if absolute.
  struct TimeRange {
    double from = 0;
    double to = 0;
    bool absolute = false;
  };
  std::optional<TimeRange> time;
  std::vector<std::string> focus;  // regular expressions: stacks with a match
  std::vector<std::string> hide;   // frames that match disappear
  std::vector<std::string> skip_after;  // function: becomes the root
  std::vector<std::string> base;  // function: as skip_after, and stacks without
                                  // it are left out
  bool base_inside = false;  // base as inferno has it: neither the root nor the
                             // leaf of a stack counts
  bool kernel_only = false, user_only = false;
  bool merge_recursion = false;  // f;f;f becomes f
};
Profile select(Profile profile, const Selection& selection);

// "1.5..2", "..3", "2..", "@100.25..101".
Selection::TimeRange parse_time_range(std::string_view text);

// The name by which events of different kinds of core and mode are one.
std::string_view event_group(std::string_view event_name);

}  // namespace wick

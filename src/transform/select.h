// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/time_range.h"

namespace wick {

// Which samples the user wants to see, and which of their frames. What is left
// out is noted with its weight.
struct Selection {
  std::string event;  // see select_event()
  std::optional<std::int32_t> pid, tid;
  std::string comm;
  std::optional<TimeRange> time;
  std::vector<std::string> focus;  // regular expressions: stacks with a match
  std::vector<std::string> hide;   // regular expressions: frames to remove
  std::vector<std::string> skip_after;  // functions that become the root
  // Functions: as skip_after, and stacks without one of them are left out.
  std::vector<std::string> base;
  // As inferno does it: the root and the leaf of a stack do not count for base.
  bool base_inside = false;
  bool kernel_only = false, user_only = false;
  bool merge_recursion = false;  // f;f;f becomes f
};
Profile select(Profile profile, const Selection& selection);

}  // namespace wick

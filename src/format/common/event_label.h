// SPDX-License-Identifier: Apache-2.0
// In formats without differences, the two sides of one are two events, "cycles
// before" and "cycles after".
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick {

// The name of an event, with its role.
std::string event_label(const Profile& profile, EventId id);

struct EventLabel {
  std::string_view name;
  EventRole role = EventRole::kPlain;
};
EventLabel parse_event_label(std::string_view label);

// A unit of time as seconds × 10^-decimals: 3 for "ms" and "milliseconds"; -1
// if `unit` is not a unit of time.
int time_unit_decimals(std::string_view unit);

}  // namespace wick

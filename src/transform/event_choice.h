// SPDX-License-Identifier: Apache-2.0
// Which of a profile's events is looked at.
#pragma once

#include <string_view>

#include "profile/profile.h"

namespace wick {

// The name that events of several kinds of core or modes share:
// `cpu_core/cycles/` and `cpu_atom/cycles/`, `cycles:u` and `cycles:k` are all
// "cycles".
std::string_view event_group(std::string_view event_name);

// The group of each event of a profile: that of its name, unless another event
// of the group counts some of the same (`cycles` and `cycles:u`): such events
// cannot be added up, and the one with modifiers, or else the later one, has
// its whole name. The views are into the profile.
Column<EventId, std::string_view> event_groups(const Profile& profile);

// What the periods of samples of an event add up to: "nanoseconds", "cycles",
// "instructions" or "events".
std::string_view period_unit(std::string_view event_name);

// Keeps the samples of the events named `wanted` or in the group of that name;
// "*" keeps all, "" the first event and those of its group; if that has no
// samples, time off the CPU or else the first event that has some.
// Differences are left as they are. Fails if there is no such event.
void select_event(Profile& profile, std::string_view wanted);
// Those events, of a profile that is no difference. There is at least one.
Column<EventId, bool> chosen_events(const Profile& profile,
                                    std::string_view wanted);

}  // namespace wick

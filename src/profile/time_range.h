// SPDX-License-Identifier: Apache-2.0
// A part of a profile's time.
#pragma once

#include <cstdint>
#include <string_view>

#include "profile/profile.h"

namespace wick {

struct TimeRange {
  // Seconds from the first sample, or of the input's clock if `absolute`.
  double from = 0;
  double to = 0;
  bool absolute = false;
};

// "1.5..2", "..3", "2..", "@100.25..101".
TimeRange parse_time_range(std::string_view text);

// When the first sample begins; of a trace, the first of its clock.
std::uint64_t first_time(const Profile& profile);

// Cuts the samples of an event that reach into the range down to the parts
// inside it. They last as many nanoseconds as they weigh.
void cut_to_time(Profile& profile, EventId event, const TimeRange& time,
                 std::uint64_t first);

// Keeps the samples that begin in the range and, of a trace's clock and of time
// off the CPU, the parts of samples that reach into it. `first` is the
// first_time() of the whole profile: samples may have been left out since.
// Fails if the profile has no times.
void select_time(Profile& profile, const TimeRange& range, std::uint64_t first);

}  // namespace wick

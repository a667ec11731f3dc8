// SPDX-License-Identifier: Apache-2.0
// What is known of a recording as a whole, for the summary of a picture.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace wick {

// "" or 0: not known.
struct RecordingSummary {
  std::string command;     // the program with its arguments
  std::string date;        // when it began
  std::uint32_t cpus = 0;  // that samples are from
};
RecordingSummary summarize(const Profile& profile);

// The program that was recorded, with its arguments: of "wick record -o x --
// ./program", what follows "--". "" if that is not known, or if the profile has
// several.
std::string recorded_command(const Profile& profile);

// What the samples of an event amount to.
struct EventFacts {
  std::uint64_t samples = 0;  // taken by the profiler; 0: not known
  std::int64_t weight = 0;
  std::int64_t unnamed = 0;  // the part that ended in code without a name
  // From the first sample of the profile to the first and to the last of the
  // event; of a trace, the whole of it, in units of its clock. 0 without times.
  std::uint64_t begin = 0, end = 0;
};
// A row for each event.
std::vector<EventFacts> facts_of_events(const Profile& profile);

// How much there is of what a profiler may lose.
struct SizeOfWhole {
  std::int64_t weight = 0;    // of the first event
  std::uint64_t samples = 0;  // without time off the CPU, which is derived
  std::int64_t cpu_ns = 0;    // on the CPU; 0: not known
};
SizeOfWhole size_of_whole(const Profile& profile);

// How much of the whole a problem took from it; nothing if that is not known.
std::optional<double> share_of(const Diagnostics::Entry& entry,
                               const Diagnostics& diagnostics,
                               const SizeOfWhole& whole);

// From the first sample to the last in nanoseconds, or to the end of a trace in
// units of its clock. 0 without times.
std::uint64_t span_of(const Profile& profile);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// For tests: text in, folded text out, so that a test shows its whole input and
// its whole result.
#pragma once

#include <string>
#include <string_view>

#include "profile/format.h"
#include "transform/select.h"

namespace wick {

// Reads `text` with the format of that name ("": detected) and checks the
// invariants of the result.
Profile read_text(std::string_view format, std::string_view text,
                  const ReadOptions& options = {});

// The profile as folded lines; what `wick fold` prints for its first event.
std::string folded(const Profile& profile, const FoldOptions& options = {});

// What the output format of that name writes.
std::string written(std::string_view format, const Profile& profile,
                    const WriteOptions& options = {});

// The sum of all weights of all events, in the unit of the first.
std::int64_t whole_weight(const Profile& profile);

// The same as numbers that the user sees, each event in its own unit.
double whole_value(const Profile& profile);

// A seeded random profile: several threads, events, kinds of frame, times;
// names that need escaping. For property tests; print the seed on failure.
Profile random_profile(std::uint32_t seed);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// A selection that leaves nothing is an error, whatever is done with the
// profile afterwards: an empty picture says nothing, and a gate on an empty
// profile never closes. The message says what there is to select from.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "profile/keep_samples.h"
#include "profile/profile.h"
#include "transform/select.h"

namespace wick {

using WantedSample = std::function<bool(const Sample&)>;

// keep_samples() with the samples that the user left out. If none would be
// left, fails with `why`, which sees the profile as it is before.
void keep_some(Profile& profile, const WantedSample& wanted,
               const std::function<std::string()>& why);

// Why no sample is of the wanted process or thread.
std::string why_no_thread(const Profile& profile, const Selection& selection);
// Why no sample is in the wanted range.
std::string why_no_time(const Profile& profile, std::uint64_t first);
// "no stack has …, but there are a, b and c": the hottest functions.
std::string why_no_function(const Profile& profile, std::string_view wanted);

// Fails if the reader or a part of the selection left nothing of an input that
// had something.
void check_not_empty(const Profile& profile);

// Why an input has no `things`, "samples" or "instructions": nothing is left of
// them, they were lost, or there were none.
std::string why_empty(const Diagnostics& diagnostics, std::string_view things);

}  // namespace wick

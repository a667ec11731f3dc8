// SPDX-License-Identifier: Apache-2.0
// Dropping samples, as select() and its parts do it.
#pragma once

#include <functional>

#include "profile/profile.h"

namespace wick {

// Keeps the samples that `wanted` accepts and notes the others, with their
// weight, as `problem`.
void keep_samples(Profile& profile, Problem problem,
                  const std::function<bool(const Sample&)>& wanted);

// Lowers what was counted of samples without a stack or a name to that of the
// samples left, and marks other counts of samples as of the whole input.
void recount(Profile& profile);

// What dropped weight of `event` is noted as if the user left it out. A trace
// has no samples, so what it counts is noted instead.
Problem not_selected(const Profile& profile, EventId event);

}  // namespace wick

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

// What dropped weight of `event` is noted as if the user left it out. A trace
// has no samples, so what it counts is noted instead.
Problem not_selected(const Profile& profile, EventId event);

}  // namespace wick

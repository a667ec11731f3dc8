// SPDX-License-Identifier: Apache-2.0
// The confidence of a share that was estimated from samples. docs/diff.md
// describes the model and its limits.
#pragma once

#include "profile/profile.h"

namespace wick {

struct Interval {
  double low = 0, high = 0;
  bool excludes_zero() const { return low > 0 || high < 0; }
};

// A share (0 to 1) seen in a number of independent samples.
struct Proportion {
  double share = 0;
  double samples = 0;
};

// How many standard deviations around the mean hold `percent` of a normal
// distribution: 1.96 for 95. 0 < percent < 100.
double normal_quantile(double percent);

// Wilson's score interval: never empty and never outside 0 to 1, even if no
// sample or every sample was a hit.
Interval wilson_interval(const Proportion& seen, double z);

// Newcombe's hybrid score interval for after - before, made from both Wilson
// intervals.
Interval difference_interval(const Proportion& before, const Proportion& after,
                             double z);

// The number of equally weighted samples whose shares vary as much as those of
// the samples in `profile` with this role. A weight that is a number of samples
// counts as that many, n samples that were added up as n equal ones, any other
// sample counts as one, and unequal weights w are worth (Σw)² / Σw² equal ones
// (Kish).
double effective_samples(const Profile& profile, EventRole role);

}  // namespace wick

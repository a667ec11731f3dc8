// SPDX-License-Identifier: Apache-2.0
// How sure a share is that was estimated from samples. The model and its limits
// are in docs/diff.md.
#pragma once

#include "profile/profile.h"

namespace wick {

struct Interval {
  double low = 0, high = 0;
  bool excludes_zero() const { return low > 0 || high < 0; }
};

// A share (0 to 1) that was seen in so many independent samples.
struct Proportion {
  double share = 0;
  double samples = 0;
};

// How many standard deviations to both sides of the mean hold `percent` of a
// normal distribution: 1.96 for 95. `percent` is between 0 and 100, both
// excluded.
double normal_quantile(double percent);

// Wilson's score interval: never empty and never outside of 0 to 1, also when
// nothing or everything was hit.
Interval wilson_interval(const Proportion& seen, double z);

// Newcombe's hybrid score interval for after - before, made of the two Wilson
// intervals.
Interval difference_interval(const Proportion& before, const Proportion& after,
                             double z);

// The number of equally weighted samples whose shares vary as much as those of
// the samples in `profile` that have this role. Weights that are counts of
// samples already summed count as many samples each; any other sample is one,
// and unequal weights w are worth (Σw)² / Σw² equal ones (Kish).
double effective_samples(const Profile& profile, EventRole role);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "transform/confidence.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace wick {

double normal_quantile(double percent) {
  const double outside = 1 - percent / 100;
  double low = 0, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::sqrt(2.0)) > outside ? low : high) = middle;
  }
  return low;
}

Interval wilson_interval(const Proportion& seen, double z) {
  if (seen.samples <= 0) return {0, 1};
  const double n = seen.samples, p = seen.share, square = z * z;
  const double center = (p + square / (2 * n)) / (1 + square / n);
  const double half =
      z / (1 + square / n) * std::sqrt(p * (1 - p) / n + square / (4 * n * n));
  return {std::clamp(center - half, 0.0, p), std::clamp(center + half, p, 1.0)};
}

Interval difference_interval(const Proportion& before, const Proportion& after,
                             double z) {
  const Interval b = wilson_interval(before, z), a = wilson_interval(after, z);
  const double change = after.share - before.share;
  return {
      change - std::hypot(after.share - a.low, b.high - before.share),
      change + std::hypot(a.high - after.share, before.share - b.low),
  };
}

double effective_samples(const Profile& profile, EventRole role) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < profile.samples.size(); ++i) {
    const Sample& sample = profile.samples[i];
    const Event& event = profile.events[sample.event];
    const std::uint64_t count = samples_in_row(profile, i);
    if (event.role != role || count == 0) continue;
    const double weight = static_cast<double>(sample.weight) /
                          static_cast<double>(power_of_ten(event.decimals));
    sum += weight;
    squares += weight * weight / static_cast<double>(count);
  }
  return squares > 0 ? sum * sum / squares : 0;
}

}  // namespace wick

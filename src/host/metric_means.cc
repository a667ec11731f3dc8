// SPDX-License-Identifier: Apache-2.0
#include "host/metric_means.h"

#include <algorithm>

namespace wick {

void MetricMeans::add(const std::vector<MetricValue>& values, double seconds) {
  if (!(seconds > 0)) return;
  for (const MetricValue& value : values) {
    Sum& sum = sums_[{value.metric, value.label}];
    sum.max = sum.seconds > 0 ? std::max(sum.max, value.value) : value.value;
    sum.value_seconds += value.value * seconds;
    sum.seconds += seconds;
  }
}

std::vector<MetricSummary> MetricMeans::take() {
  std::vector<MetricSummary> result;
  for (const auto& [key, sum] : sums_)
    result.push_back(
        {key.first, key.second, sum.value_seconds / sum.seconds, sum.max});
  sums_.clear();
  return result;
}

}  // namespace wick

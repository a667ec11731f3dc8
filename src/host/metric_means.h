// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "host/host_metrics.h"

namespace wick {

struct MetricSummary {
  Metric metric{};
  std::string label;
  double mean = 0, max = 0;  // of rates, for counters
  friend bool operator==(const MetricSummary&, const MetricSummary&) = default;
};

// The mean and the maximum of each value over several measurements. A mean is
// of the time: that of a counter is its growth divided by the time, exactly.
class MetricMeans {
 public:
  // `values` are those of rates(), over that many seconds.
  void add(const std::vector<MetricValue>& values, double seconds);
  // What was added since the last call, in the order of metrics and labels.
  std::vector<MetricSummary> take();

 private:
  struct Sum {
    double value_seconds = 0, seconds = 0, max = 0;
  };
  std::map<std::pair<Metric, std::string>, Sum> sums_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What was measured of a host at one moment, and what happened between two
// moments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/metric.h"

namespace wick {

struct MetricValue {
  Metric metric{};
  std::string label;  // "3" of a CPU, "sda"; "" if the metric has one value
  double value = 0;   // counters are exact up to 2^53
  friend bool operator==(const MetricValue&, const MetricValue&) = default;
};

// Values of a metric are in the order of the host's file.
struct HostMetrics {
  std::int64_t unix_ns = 0;
  // Since the boot. Differences are of this clock: the other can be set.
  std::int64_t boot_ns = 0;
  std::vector<MetricValue> values;

  void add(Metric metric, double value, std::string_view label = {}) {
    values.push_back({metric, std::string(label), value});
  }
};

// Gauges as they are in `now`, counters as their growth per second. A counter
// that is in one of them only is left out, and so is one that has become
// smaller: a disk or an interface that was removed and came back.
std::vector<MetricValue> rates(const HostMetrics& before,
                               const HostMetrics& now);

}  // namespace wick

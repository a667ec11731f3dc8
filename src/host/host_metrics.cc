// SPDX-License-Identifier: Apache-2.0
#include "host/host_metrics.h"

#include <algorithm>
#include <cstddef>

namespace wick {
namespace {

// Both moments list the same values in the same order unless a device came or
// went, so a value is nearly always next to the one that was found last.
class EarlierValues {
 public:
  explicit EarlierValues(const std::vector<MetricValue>& values)
      : values_(values) {}

  const MetricValue* find(const MetricValue& wanted) {
    const auto is_wanted = [&](const MetricValue& value) {
      return value.metric == wanted.metric && value.label == wanted.label;
    };
    if (next_ >= values_.size() || !is_wanted(values_[next_])) {
      const auto found = std::ranges::find_if(values_, is_wanted);
      if (found == values_.end()) return nullptr;
      next_ = static_cast<std::size_t>(found - values_.begin());
    }
    return &values_[next_++];
  }

 private:
  const std::vector<MetricValue>& values_;
  std::size_t next_ = 0;
};

}  // namespace

std::vector<MetricValue> rates(const HostMetrics& before,
                               const HostMetrics& now) {
  const double seconds =
      static_cast<double>(now.boot_ns - before.boot_ns) / 1e9;
  EarlierValues earlier(before.values);
  std::vector<MetricValue> result;
  for (const MetricValue& value : now.values) {
    const MetricValue* was = earlier.find(value);
    if (info(value.metric).kind == MetricKind::kGauge) {
      result.push_back(value);
      continue;
    }
    if (was == nullptr || seconds <= 0 || value.value < was->value) continue;
    result.push_back(
        {value.metric, value.label, (value.value - was->value) / seconds});
  }
  return result;
}

}  // namespace wick

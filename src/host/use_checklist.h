// SPDX-License-Identifier: Apache-2.0
// The USE method as a table: for each resource its utilisation, its saturation
// and its errors. Read from top to bottom, it tells which resource is short.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/host_metrics.h"

namespace wick {

enum class UseAspect : std::uint8_t { kUtilisation, kSaturation, kErrors };
std::string_view name_of(UseAspect aspect);

struct UseValue {
  double value = 0;
  std::string label;  // of which disk or interface: the worst one
  friend bool operator==(const UseValue&, const UseValue&) = default;
};

struct UseCheck {
  std::string_view resource;  // "CPU"
  UseAspect aspect;
  std::string_view measure;  // "time in which CPUs were busy"
  MetricUnit unit;
  // From this on it deserves a look.
  double concern;
  // From the result of rates(); nothing if this host does not tell.
  std::optional<UseValue> (*value)(const std::vector<MetricValue>& rates);
};

std::span<const UseCheck> use_checklist();

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Shared by the reader and the writer of Firefox profiles.
#pragma once

#include <string_view>

namespace wick {

// How weights are written. The Firefox Profiler knows milliseconds, bytes and
// counts; a weight of 1 in the profile's unit is 10^-power of that.
struct WeightForm {
  std::string_view type;
  int power = 0;
};

constexpr WeightForm weight_form(std::string_view unit) {
  if (unit == "nanoseconds") return {"tracing-ms", 6};
  if (unit == "microseconds") return {"tracing-ms", 3};
  if (unit == "milliseconds") return {"tracing-ms", 0};
  if (unit == "seconds") return {"tracing-ms", -3};
  if (unit == "bytes") return {"bytes", 0};
  return {"samples", 0};
}

}  // namespace wick

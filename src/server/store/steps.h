// SPDX-License-Identifier: Apache-2.0
// Which steps of a chart a value is of. Seconds are never exactly one, and sums
// become longer with age: what was measured between two moments is of each step
// whose middle is between them. So no step is empty because a second was a bit
// late, and an hour that is stored as one is in all steps of that hour.
#pragma once

#include <cstdint>

namespace wick {

// The multiple of `step_ns` at or before `time_ns`.
constexpr std::int64_t step_begin(std::int64_t time_ns, std::int64_t step_ns) {
  const std::int64_t rest = time_ns % step_ns;
  return time_ns - (rest < 0 ? rest + step_ns : rest);
}

struct Steps {
  std::int64_t first_ns = 0, end_ns = 0;  // multiples of the step
};

// At least one: without a middle, it is that in which the middle of the time
// is.
constexpr Steps steps_of(std::int64_t from_ns, std::int64_t to_ns,
                         std::int64_t step_ns) {
  const std::int64_t half = step_ns / 2;
  const Steps steps{step_begin(from_ns - half + step_ns - 1, step_ns),
                    step_begin(to_ns - half + step_ns - 1, step_ns)};
  if (steps.first_ns < steps.end_ns) return steps;
  const std::int64_t first =
      step_begin(from_ns + (to_ns - from_ns) / 2, step_ns);
  return {first, first + step_ns};
}

}  // namespace wick

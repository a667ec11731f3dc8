// SPDX-License-Identifier: Apache-2.0
// For tests: what an operation costs, counted so that the machine's load plays
// no part. Steps are what count_steps() in base/metrics.h says; allocations are
// counted in the sanitizers' build only.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>

namespace wick {

struct Cost {
  std::uint64_t steps = 0, written = 0, allocated = 0, allocations = 0;
};

// `run` may write to the stream; its bytes are counted and dropped.
Cost cost_of(const std::function<void(std::ostream&)>& run);

// Expects that `twice`, the cost of an input of twice the size, is about twice
// that of `once`, or less.
void expect_doubled_at_most(const Cost& once, const Cost& twice);

}  // namespace wick

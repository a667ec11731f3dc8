// SPDX-License-Identifier: Apache-2.0
// Moments that tests of stores and servers use, in nanoseconds since 1970.
#pragma once

#include <cstdint>

#include "server/store/store.h"

namespace wick {

inline constexpr std::int64_t kSecond = 1'000'000'000;
// Where a bucket of ten seconds begins.
inline constexpr std::int64_t kTen = 1'700'000'000 * kSecond;

// In seconds after kTen.
inline TimeSpan span(std::int64_t from, std::int64_t to) {
  return {kTen + from * kSecond, kTen + to * kSecond};
}

}  // namespace wick

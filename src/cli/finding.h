// SPDX-License-Identifier: Apache-2.0
// A line of `wick doctor`.
#pragma once

#include <cstdint>
#include <string>

namespace wick {

enum class Verdict : std::uint8_t { kGood, kLess, kBad };

struct Finding {
  Verdict verdict;
  std::string what;
  std::string help;  // a command or a hint; "" if there is none
};

}  // namespace wick

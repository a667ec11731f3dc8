// SPDX-License-Identifier: Apache-2.0
// What the server process costs.
#pragma once

#include <cstdint>

namespace wick {

struct ServerCost {
  double cpu_seconds = 0;
  std::uint64_t resident_bytes = 0;
};

ServerCost server_cost();

}  // namespace wick

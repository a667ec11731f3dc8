// SPDX-License-Identifier: Apache-2.0
// A section of a perf.data file, as its header and tables store it.
#pragma once

#include <cstdint>

namespace wick {

struct FileSection {
  std::uint64_t offset = 0, size = 0;  // bytes
};
static_assert(sizeof(FileSection) == 16);

}  // namespace wick

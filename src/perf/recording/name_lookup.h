// SPDX-License-Identifier: Apache-2.0
// Looks up the names that a recording keeps, and sees to it that they take no
// more room than they may.
#pragma once

#include <cstdint>
#include <string>

#include "perf/recording/sampled_code.h"
#include "profile/diagnostics.h"

namespace wick {

struct NameRoom {
  std::uint64_t file_bytes = 0;  // of the recording without names
  std::uint64_t memory = 0;      // while they are looked up

  // Names may add a tenth to a recording, or this much to a small one.
  static constexpr std::uint64_t kLeast = 32 << 10;
  std::uint64_t most_bytes() const {
    return file_bytes / 10 > kLeast ? file_bytes / 10 : kLeast;
  }
};

// The section of the file; "" without samples. What it does not have room for
// is noted.
std::string look_up_names(SampledCode& code, const std::string& os_release,
                          const NameRoom& room, Diagnostics& diagnostics);

}  // namespace wick

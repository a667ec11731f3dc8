// SPDX-License-Identifier: Apache-2.0
// Output of `perf script`, which other formats embed.
#pragma once

#include "profile/format.h"

namespace wick {

extern const InputFormat perf_script_input;

}  // namespace wick

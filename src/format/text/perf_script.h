// SPDX-License-Identifier: Apache-2.0
// What `perf script` prints; other formats carry it inside.
#pragma once

#include "profile/format.h"

namespace wick {

extern const InputFormat perf_script_input;

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// For damage tests and fuzzing: decodes all of a recording, each record as its
// own kind and as some others, and adds up every byte of it, so that sanitizers
// see a view that leads outside.
#pragma once

#include <cstdint>

#include "base/input_file.h"

namespace wick {

std::uint64_t read_everything(InputFile& input);

}  // namespace wick

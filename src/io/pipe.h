// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/unique_fd.h"

namespace wick {

// Child processes do not inherit the ends (O_CLOEXEC).
struct Pipe {
  UniqueFd read, write;
};
Pipe make_pipe();

}  // namespace wick

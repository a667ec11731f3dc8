// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/unique_fd.h"

namespace wick {

// Both ends are closed in programs that are started.
struct Pipe {
  UniqueFd read, write;
};
Pipe make_pipe();

}  // namespace wick

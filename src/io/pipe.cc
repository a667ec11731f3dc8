// SPDX-License-Identifier: Apache-2.0
#include "io/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace wick {

Pipe make_pipe() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0)
    fail("cannot make a pipe: {}", last_system_error());
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

}  // namespace wick

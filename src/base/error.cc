// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace wick {

std::string last_system_error() {
  return std::generic_category().message(errno);
}

}  // namespace wick

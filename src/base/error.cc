// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace wick {

std::string Error::text(SettingNames names) const {
  std::string message = with_hint(what(), advice_.helps, names);
  if (!advice_.wrong || names == nullptr) return message;
  return fmt::format("{}: {}", names(*advice_.wrong), message);
}

std::string last_system_error() {
  return std::generic_category().message(errno);
}

}  // namespace wick

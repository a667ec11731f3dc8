// SPDX-License-Identifier: Apache-2.0
// Files of programs.
#pragma once

#include <optional>
#include <string>

namespace wick {

// The file that a shell would run for `name`.
std::optional<std::string> find_program(const std::string& name);

// Whether executing it gives rights that this process does not have (setuid,
// setgid, file capabilities), or it cannot be read. The kernel then lets nobody
// without privileges look inside.
bool is_protected_program(const std::string& path);

}  // namespace wick

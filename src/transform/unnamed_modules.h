// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct UnnamedModule {
  ModuleId id;
  // Of the stacks that end in its functions without a name, with the most
  // decimals of any event.
  std::int64_t weight = 0;
};

// The modules with functions without a name for which a reason is known
// (Module::no_names), the heaviest first.
std::vector<UnnamedModule> unnamed_modules(const Profile& profile);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// How the command line spells the library's settings.
#pragma once

#include <string_view>

#include "base/setting.h"

namespace wick {

std::string_view setting_name(Setting setting);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// How the settings that the library speaks of are spelled on the command line.
#pragma once

#include <string_view>

#include "base/setting.h"

namespace wick {

std::string_view setting_name(Setting setting);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace wick {

// For tests: `bytes` as an .xz stream.
std::string xz(std::string_view bytes);

}  // namespace wick

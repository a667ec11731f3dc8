// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace wick {

// The Levenshtein distance: how many bytes must be inserted, removed or
// replaced to turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace wick

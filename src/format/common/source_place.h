// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wick {

struct SourcePlace {
  std::string_view file;
  std::uint32_t line = 0;
};
// "cart.cc:9" or, with a column, "cart.cc:9:74". Views into `text`; nothing if
// it does not end in a number.
std::optional<SourcePlace> parse_source_place(std::string_view text);

}  // namespace wick

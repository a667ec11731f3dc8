// SPDX-License-Identifier: Apache-2.0
// Pages of the documentation that messages refer to; they are part of the
// program, so that whoever has it has them.
#pragma once

#include <optional>
#include <string_view>

namespace wick {

// What 'wick help TOPIC' prints if TOPIC is no command.
std::optional<std::string_view> help_page(std::string_view topic);

}  // namespace wick

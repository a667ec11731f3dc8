// SPDX-License-Identifier: Apache-2.0
// Lines of CSV, as spreadsheets and profilers write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

// The fields of a line, unquoted ("" inside quotes is "), into a reused buffer.
// Blanks before a quote stay: call trees are indented by them.
void split_csv(std::string_view line, char separator,
               std::vector<std::string>& fields);

// "1,234,567" or "1234567".
std::optional<std::int64_t> to_grouped_number(std::string_view text);

}  // namespace wick

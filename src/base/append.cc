// SPDX-License-Identifier: Apache-2.0
#include "base/append.h"

#include <iterator>

namespace wick {

void append_formatted(std::string& out, fmt::string_view format,
                      fmt::format_args args) {
  fmt::vformat_to(std::back_inserter(out), format, args);
}

}  // namespace wick

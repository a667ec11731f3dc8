// SPDX-License-Identifier: Apache-2.0
// Lines of /proc/modules in the output of a console:
//   nf_tables 323584 0 - Live 0xffffffff02000000
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wick {

struct LoadedModule {
  std::string_view name;    // a part of the line
  std::uint64_t start = 0;  // never 0, which users other than root see
};

// Nothing for any other line.
std::optional<LoadedModule> parse_loaded_module(std::string_view line);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Lines of /proc/modules, somewhere in what a console printed:
//   nf_tables 323584 0 - Live 0xffffffff02000000
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wick {

struct LoadedModule {
  std::string_view name;    // of the line that it was read from
  std::uint64_t start = 0;  // never 0, which is what others than root see
};

// Nothing if the line is another one.
std::optional<LoadedModule> parse_loaded_module(std::string_view line);

}  // namespace wick

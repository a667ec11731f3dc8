// SPDX-License-Identifier: Apache-2.0
// Chooses the names that a recording keeps if there is no room for all: those
// that most samples need. Source lines and inlined calls go before names. Files
// and compiled code leave each other half of the room, so that a program which
// compiles thousands of functions still has the names of its libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "object/kept_names.h"
#include "perf/recording/sampled_jits.h"
#include "profile/diagnostics.h"

namespace wick {

struct NamedModule {
  KeptModule module;
  // In the order of module.names.rows(): how often samples met each address.
  std::vector<std::uint32_t> counts;
};

// The encoded names, at most `most_bytes`; "" if there are none. Addresses that
// lose something are noted.
std::string fit_names(std::vector<NamedModule> modules,
                      std::vector<SampledJitFile> jit_files,
                      std::uint64_t most_bytes, Diagnostics& diagnostics);

}  // namespace wick

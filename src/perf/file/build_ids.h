// SPDX-License-Identifier: Apache-2.0
// The build ids of what was recorded, so that another day or another machine
// finds the very files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perf/file/header.h"

namespace wick {

// A file that samples hit, by the name that its mapping had.
struct SampledFile {
  std::string path;      // "/usr/bin/x", "[vdso]", "[kernel.kallsyms]"
  std::int32_t pid = 0;  // a process that has it mapped; 0 if none is known
  bool in_kernel = false;
};

// Those of them that have one, each path once. Files are looked for in the
// process's own root first: it may be a container, or gone.
std::vector<PerfHeader::BuildId> read_build_ids(
    std::span<const SampledFile> files);

}  // namespace wick

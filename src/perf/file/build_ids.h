// SPDX-License-Identifier: Apache-2.0
// The build ids of recorded files, by which the same files are found later or
// on another machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "perf/file/header.h"

namespace wick {

// A file with samples, by the name of its mapping.
struct SampledFile {
  std::string path;      // "/usr/bin/x", "[vdso]", "[kernel.kallsyms]"
  std::int32_t pid = 0;  // a process that maps it; 0 if unknown
  bool in_kernel = false;
};

// Of the files that have one, each path once. Files are looked up in the
// process's root first: it may be in a container, or gone.
std::vector<PerfHeader::BuildId> read_build_ids(
    std::span<const SampledFile> files);

}  // namespace wick

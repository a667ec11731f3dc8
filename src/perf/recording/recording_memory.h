// SPDX-License-Identifier: Apache-2.0
// What a recording may hold in memory for the programs that it records, in one
// place. They can be hostile: map files with huge or overlapping sections, map
// thousands of files, fork without end. Each kind has a part of its own, so
// that none can starve the others, and within it an offender has a share:
//
//   files     7/16  bytes read of ELF files, unwind tables; one file: 7/32
//   addresses 1/16  code that samples are in, whose names are kept
//   names      1/4  paths and build ids of mapped files
//   processes  1/4  processes, threads, mappings; one process: 1/8
//
// A quarter of the default is 64 MB. The largest unwind sections known, of
// browsers, have 20 MB, and an address space of 65,000 mappings takes 10.
//
// Buffers that the recorder chooses itself, such as the kernel's, are not part
// of it.
#pragma once

#include <cstdint>
#include <memory>

#include "base/memory_budget.h"

namespace wick {

struct RecordingMemory {
  explicit RecordingMemory(std::uint64_t all)
      : files(std::make_shared<MemoryBudget>(all / 16 * 7)),
        addresses(std::make_shared<MemoryBudget>(all / 16)),
        names(std::make_shared<MemoryBudget>(all / 4)),
        processes(std::make_shared<MemoryBudget>(all / 4)) {}

  std::shared_ptr<MemoryBudget> files, addresses, names, processes;
};

}  // namespace wick

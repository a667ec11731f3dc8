// SPDX-License-Identifier: Apache-2.0
// How much of a file's code can be unwound by rules.
#pragma once

#include <cstdint>
#include <memory>

namespace wick {

class ElfFile;

struct UnwindCoverage {
  std::uint64_t code = 0;     // bytes of code, without the start files'
  std::uint64_t covered = 0;  // those with a rule, and padding between them

  double share() const {
    return code == 0 ? 0
                     : static_cast<double>(covered) / static_cast<double>(code);
  }
};

// Asks the table that stacks are unwound by, every 16 bytes. `debug` may be
// null.
UnwindCoverage unwind_coverage(const std::shared_ptr<const ElfFile>& file,
                               const std::shared_ptr<const ElfFile>& debug,
                               int workers);

}  // namespace wick

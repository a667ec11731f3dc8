// SPDX-License-Identifier: Apache-2.0
// How to find the callers of Go functions, from the table that Go's runtime
// uses for that (.gopclntab): Go's linker writes no .eh_frame, and stripping
// removes .debug_frame. Go keeps frame pointers, but functions that call
// nothing have no frame, and following frame pointers misses their callers.
#pragma once

#include <cstdint>
#include <optional>

#include "object/elf/go_table.h"
#include "object/unwind/unwind_rule.h"

namespace wick {

class GoRules {
 public:
  // Nothing unless `file` is a Go program for x86-64. Refers to its bytes.
  static std::optional<GoRules> of(const ElfFile& file);

  // kNone where there is no Go function.
  UnwindRule at(std::uint64_t elf_addr) const;

 private:
  explicit GoRules(GoTable table) : table_(table) {}

  GoTable table_;
};

}  // namespace wick

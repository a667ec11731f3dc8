// SPDX-License-Identifier: Apache-2.0
// How to find the callers of Go functions, from the table that Go's runtime
// uses for that (.gopclntab): Go's linker writes no .eh_frame, and stripping
// removes .debug_frame. Go keeps frame pointers, but functions that call
// nothing have no frame, and following frame pointers misses their callers.
//
// It also knows what no other rules tell: which functions switch stacks.
#pragma once

#include <cstdint>
#include <optional>

#include "object/elf/go_table.h"
#include "object/unwind/unwind_rule.h"

namespace wick {

class GoRules {
 public:
  // Nothing unless `file` is a Go program for x86-64, and not if the table
  // would take much of the memory that is left. Refers to its bytes.
  static std::optional<GoRules> of(const ElfFile& file);

  // Whether the stack begins with the function at this address.
  bool is_root(std::uint64_t elf_addr) const;
  // kNone where there is no Go function.
  UnwindRule at(std::uint64_t elf_addr) const;

 private:
  explicit GoRules(GoTable table) : table_(table) {}

  GoTable table_;
};

}  // namespace wick

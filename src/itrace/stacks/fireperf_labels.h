// SPDX-License-Identifier: Apache-2.0
// The labels that FirePerf finds in the one file that it reads, which of them
// an address has, and where they begin:
//
//   1. DWARF first: functions directly below a unit, with both DW_AT_low_pc and
//      DW_AT_high_pc, under their plain names. The first at an address counts,
//      and one that begins inside another is dropped.
//   2. Then every named symbol of .symtab in an executable section, whatever
//      its type, even "$x" and ".L12", unless the function before it covers it.
//      The first at an address counts. It extends to the next function or
//      symbol; its size is ignored.
//
// All else has no label, also the gaps between functions of DWARF. An assembler
// marks the beginning of code with "$x" and the names of the extensions, and in
// Linux that comes first at the address of handle_exception, which is how most
// of FirePerf's stacks begin.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "itrace/code/code_map.h"

namespace wick {

class FirePerfLabels {
 public:
  struct Span {
    std::uint64_t begin = 0, end = 0;  // elf_addr
    std::string_view name;             // empty: no label
    bool is_function = false;          // by its symbol's type; or from DWARF
  };

  // Reads the file on up to `workers` threads; `image` must outlive this.
  FirePerfLabels(const CodeImage& image, int workers);

  // The span that contains the address. Spans leave no gaps.
  const Span& at(std::uint64_t elf_addr) const;

 private:
  std::vector<Span> spans_;  // by begin; the first begins at 0
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The functions directly below the units of a file's DWARF, under the names
// that the source gives them. What a walk that looks no deeper misses is not
// there either: functions in namespaces and classes, and those of several
// pieces (DW_AT_ranges). The bytes are untrusted.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "object/elf/elf_file.h"

namespace wick {

struct TopFunction {
  std::string_view name;  // never empty; points into the file
  // As written: `end` need not be behind `begin`.
  std::uint64_t begin = 0, end = 0;
};

// In the order of the file, found on up to `workers` threads; none in a
// relocatable file. Other files that `elf` refers to are not read.
std::vector<TopFunction> top_functions(std::shared_ptr<const ElfFile> elf,
                                       int workers);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The call frame information of an ELF file, with the functions that it covers.
#pragma once

#include <cstdint>

#include "object/unwind/cfi.h"
#include "object/unwind/frame_index.h"

namespace wick {

class ElfFile;

struct CfiFunctions {
  CfiSection cfi;
  FrameIndex index;
};

// Of memory, for one function in an index.
inline constexpr std::uint64_t kFrameIndexBytes = 8;

// What the starts in an index are relative to.
std::uint64_t lowest_code_address(const ElfFile& file);

// Empty if the file has no such section or not enough memory for it. They refer
// to `file`.
CfiFunctions functions_of_eh_frame(const ElfFile& file, std::uint64_t base);
CfiFunctions functions_of_debug_frame(const ElfFile& file, std::uint64_t base);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/firmware.h"

#include <elf.h>

#include <algorithm>

namespace wick {

bool is_firmware(const ElfFile& elf) {
  const auto begins = [](const ElfFile::Segment& segment) {
    return segment.type == PT_LOAD && (segment.flags & PF_X) != 0 &&
           segment.address == 0 && segment.offset > 0 && segment.file_size > 0;
  };
  const auto has_loader = [](const ElfFile::Segment& segment) {
    return segment.type == PT_INTERP;
  };
  return elf.type() == ET_DYN && std::ranges::any_of(elf.segments(), begins) &&
         std::ranges::none_of(elf.segments(), has_loader);
}

}  // namespace wick

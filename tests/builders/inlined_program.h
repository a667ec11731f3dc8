// SPDX-License-Identifier: Apache-2.0
// For tests: a RISC-V program whose one function, main, has inlined calls.
//
//   0x10000  main /src/a.c:5
//   0x10004  main /src/a.c:7 > mid /src/inc/b.h:11
//   0x10008  main /src/a.c:7 > mid /src/inc/b.h:12 > leaf /src/inc/c.h:20
//   0x1000c  main /src/a.c:7 > mid /src/inc/b.h:13
//   0x10010  main /src/a.c:8
//   0x10014  main /src/a.c:8, returns
#pragma once

#include <memory>
#include <string>

#include "object/elf/elf_file.h"

namespace wick {

std::shared_ptr<const ElfFile> inlined_program();
std::string inlined_program_bytes();

}  // namespace wick

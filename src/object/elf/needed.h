// SPDX-License-Identifier: Apache-2.0
// What a program asks the dynamic loader for.
#pragma once

#include <string>
#include <vector>

#include "object/elf/elf_file.h"

namespace wick {

struct Needed {
  std::vector<std::string> libraries;  // DT_NEEDED: "libc.so.6"
  // DT_RUNPATH or DT_RPATH: "$ORIGIN/../lib:/opt/lib"; "" without one.
  std::string search_path;
  std::string loader;  // "/lib64/ld-linux-x86-64.so.2"; "" for a library
};

// At most 1,024 libraries. Names live in a file of unknown origin.
Needed needed_by(const ElfFile& file);

}  // namespace wick

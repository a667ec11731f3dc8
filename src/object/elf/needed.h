// SPDX-License-Identifier: Apache-2.0
// What a program or library tells the dynamic loader: what it needs, what it
// is.
#pragma once

#include <string>
#include <vector>

#include "object/elf/elf_file.h"

namespace wick {

struct Needed {
  std::vector<std::string> libraries;  // DT_NEEDED: "libc.so.6"
  // DT_RUNPATH or DT_RPATH: "$ORIGIN/../lib:/opt/lib"; "" without one.
  std::string search_path;
  std::string loader;   // "/lib64/ld-linux-x86-64.so.2"; "" for a library
  std::string name;     // DT_SONAME of a library: "libc.so.6"
  bool is_pie = false;  // linked as a position-independent program
};

// At most 1,024 libraries. Names live in a file of unknown origin.
Needed needed_by(const ElfFile& file);

// Whether a process runs the file as its program. Some libraries can be
// executed, too, and name a loader: libc.so.6 prints its version.
bool is_main_program(const ElfFile& file);

}  // namespace wick

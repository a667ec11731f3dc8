// SPDX-License-Identifier: Apache-2.0
// The kernel that runs here, and what it gives to every program.
#pragma once

#include <memory>
#include <string>

#include "object/elf/elf_file.h"

namespace wick {

// Hexadecimal, "" if it is not known: of the kernel, and of a module of it by
// its name ("ext4").
std::string kernel_build_id();
std::string kernel_module_build_id(const std::string& module);

// The vDSO is a part of the kernel: every process of this machine has the same.
// Null if there is none.
std::shared_ptr<const ElfFile> own_vdso();

}  // namespace wick

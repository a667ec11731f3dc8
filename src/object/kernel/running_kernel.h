// SPDX-License-Identifier: Apache-2.0
// The running kernel, and the vDSO that it maps into every program.
#pragma once

#include <memory>
#include <string>

#include "object/elf/elf_file.h"

namespace wick {

// Of the kernel, and of one of its modules by name ("ext4"). Hexadecimal; "" if
// unknown.
std::string kernel_build_id();
std::string kernel_module_build_id(const std::string& module);

// Of this boot. Hexadecimal; "" if unknown.
std::string boot_id();

// The vDSO is part of the kernel: all processes have the same. Null if there is
// none.
std::shared_ptr<const ElfFile> own_vdso();

}  // namespace wick

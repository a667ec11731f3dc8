// SPDX-License-Identifier: Apache-2.0
// Where a Linux kernel keeps the names, ids and mapped files of its tasks,
// which the QEMU plugin needs to tell processes apart from outside.
#pragma once

#include <string>

namespace wick {

// Lines such as "task.pid 1512" for the plugin's option `offsets`, from the BTF
// of a kernel: an ELF file, a bootable image, /sys/kernel/btf/vmlinux. Fails if
// the file has no BTF.
std::string kernel_offsets(const std::string& path);

}  // namespace wick

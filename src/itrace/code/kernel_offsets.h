// SPDX-License-Identifier: Apache-2.0
// Where a Linux kernel keeps names, ids and mapped files of its tasks: what the
// QEMU plugin has to know to tell processes apart from outside.
#pragma once

#include <string>

namespace wick {

// Lines "task.pid 1512" for the plugin's option `offsets`, from the BTF of a
// kernel: an ELF file, an image that boots, /sys/kernel/btf/vmlinux. Fails if
// there is none in it.
std::string kernel_offsets(const std::string& path);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/kernel_offsets.h"

#include <functional>
#include <iostream>

#include "base/error.h"
#include "cli/options/command.h"

namespace wick {
namespace {

std::function<int(const Arguments&)> declare_kernel_offsets(OptionSet&) {
  return [](const Arguments& arguments) {
    if (arguments.inputs.size() != 1)
      fail_usage("kernel-offsets: expected one kernel file");
    std::cout << kernel_offsets(arguments.inputs.front());
    return 0;
  };
}

}  // namespace

extern const Command kernel_offsets_command = {
    .name = "kernel-offsets",
    .usage = "KERNEL",
    .summary = "print where a kernel stores task names, for the QEMU plugin",
    .examples = "wick kernel-offsets vmlinux > offsets  # docs/qemu.md\n",
    .declare = declare_kernel_offsets,
    .hidden = true,
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace wick {

// Where the kernel's pseudo file systems are; tests use their own folders.
struct SystemPaths {
  std::string proc = "/proc";
  std::string sys = "/sys";
  // The first of these two that can be read.
  std::string tracefs = "/sys/kernel/tracing";
  std::string debug_tracefs = "/sys/kernel/debug/tracing";
  std::string modules = "/lib/modules";  // of kernels, by their release
};

// "" if neither can be read: not mounted, or only for root.
std::string readable_tracefs(const SystemPaths& paths);

}  // namespace wick

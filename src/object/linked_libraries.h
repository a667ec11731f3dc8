// SPDX-License-Identifier: Apache-2.0
// The libraries that a program is linked with, by the directories that the
// dynamic loader searches: those that the file names, LD_LIBRARY_PATH, that of
// the loader itself, and the usual ones. The loader's cache is not read, so a
// library in a directory of /etc/ld.so.conf alone is not found. Nothing is run.
#pragma once

#include <string>
#include <vector>

namespace wick {

struct LinkedLibraries {
  std::vector<std::string> paths;    // of those found, each once
  std::vector<std::string> missing;  // names
};

// Also those that libraries need. At most 512.
LinkedLibraries linked_libraries(const std::string& program);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// A machine made of files: what /proc and /sys show, in a folder of the test.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "builders/test_folder.h"
#include "perf/events/system_paths.h"

namespace wick {

class FakeSystem {
 public:
  FakeSystem() {
    paths.proc = folder_.path() + "/proc";
    paths.sys = folder_.path() + "/sys";
    paths.tracefs = paths.sys + "/kernel/tracing";
    paths.debug_tracefs = paths.sys + "/kernel/debug/tracing";
    paths.modules = folder_.path() + "/lib/modules";
  }

  // `path` begins with "/proc", "/sys" or "/lib/modules".
  FakeSystem& file(const std::string& path, std::string_view content) {
    std::filesystem::create_directories(
        std::filesystem::path(folder_.path() + path).parent_path());
    std::ofstream(folder_.path() + path, std::ios::binary) << content;
    return *this;
  }

  SystemPaths paths;

 private:
  TestFolder folder_;
};

}  // namespace wick

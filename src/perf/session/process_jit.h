// SPDX-License-Identifier: Apache-2.0
// The functions that a process compiled while it ran.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "object/jit/jit_map.h"

namespace wick {

class ProcessJit {
 public:
  // Whether mapping this file announces it as the jitdump of the process.
  static bool is_jitdump(std::string_view path);

  // Reads the jitdump that the process announced.
  void add_jitdump(std::uint32_t pid, std::string_view path);
  bool has_jitdump() const { return !dumps_.empty(); }

  struct Found {
    const JitMap* map;
    const JitMap::Function* function;
    std::string_view file;  // where it was found
  };
  // The function at an address. The perf map of the process is read on first
  // use.
  std::optional<Found> find(std::uint32_t pid, std::uint64_t address,
                            std::uint64_t time);

 private:
  struct Dump {
    std::string path;
    JitMap map;
  };
  std::vector<Dump> dumps_;
  bool looked_for_map_ = false;
  std::optional<JitMap> map_;
  std::string map_path_;
};

}  // namespace wick

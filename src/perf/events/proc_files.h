// SPDX-License-Identifier: Apache-2.0
// Parses files of /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

// A line of /proc/PID/maps.
struct ProcMapping {
  std::uint64_t start = 0, end = 0, file_off = 0;
  std::uint32_t protection = 0;  // PROT_*
  std::uint32_t flags = 0;       // MAP_SHARED or MAP_PRIVATE
  std::uint32_t dev_major = 0, dev_minor = 0;
  std::uint64_t inode = 0;
  // As in the kernel's own records: "//anon" if it has no file, and newlines in
  // names unescaped.
  std::string path;
};
std::optional<ProcMapping> parse_maps_line(std::string_view line);

// The ancestry, from /proc/PID/status.
struct ProcStatus {
  pid_t tgid = 0, parent = 0;
  // A zombie: it never runs again. The main thread of a process may end so
  // before the others.
  bool has_ended = false;
};
std::optional<ProcStatus> parse_status(std::string_view text);

// A line of /proc/modules.
struct KernelModule {
  std::string name;
  std::uint64_t start = 0, size = 0;
};
std::optional<KernelModule> parse_modules_line(std::string_view line);

// Calls `visit` with each line of a file of any size, until it returns false;
// skips lines longer than 64 kB. False if the file cannot be opened.
bool for_each_line(const std::string& path,
                   const std::function<bool(std::string_view)>& visit);

// The numeric names in a folder, ascending.
std::vector<pid_t> list_numbers(const std::string& folder);

}  // namespace wick

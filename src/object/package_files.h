// SPDX-License-Identifier: Apache-2.0
// Which package a file belongs to, on systems with dpkg. Only those files can
// have their symbols in a debug package.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

class PackageFiles {
 public:
  explicit PackageFiles(std::string folder = "/var/lib/dpkg/info")
      : folder_(std::move(folder)) {}

  // Whether this system has dpkg's lists at all.
  bool exist() const;

  // The package of each path that has one. Reads all lists, which takes 10 ms
  // for 900 packages, so ask for all paths at once. With a merged /usr a list
  // may have "/lib/x" for what runs as "/usr/lib/x"; both are found.
  std::map<std::string, std::string> owners(
      const std::vector<std::string>& paths) const;

 private:
  std::string folder_;
};

// The package with the symbols of another: "gzip-dbgsym". glibc keeps its old
// name.
std::string debug_package(std::string_view package);

}  // namespace wick

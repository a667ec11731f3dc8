// SPDX-License-Identifier: Apache-2.0
#include "io/program_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/text.h"

namespace wick {

std::optional<std::string> find_program(const std::string& name) {
  const auto runs = [](const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != name.npos) {
    if (runs(name)) return name;
    return {};
  }
  const char* variable = std::getenv("PATH");
  std::string_view path = variable != nullptr ? variable : "/usr/bin:/bin";
  while (!path.empty()) {
    const std::string_view folder = take_until(path, ':');
    const std::string file =
        fmt::format("{}/{}", folder.empty() ? "." : folder, name);
    if (runs(file)) return file;
  }
  return {};
}

bool is_protected_program(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return false;
  if ((info.st_mode & S_ISUID) != 0 && info.st_uid != ::geteuid()) return true;
  if ((info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0 &&
      info.st_gid != ::getegid())
    return true;
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0) return true;
  return ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/package_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <system_error>

#include "base/text.h"
#include "io/read_file.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

constexpr std::string_view kMerged = "/usr";
constexpr std::uint64_t kMaxList = std::uint64_t{64} << 20;

// The paths under which a list may have a file.
std::vector<std::string> spellings(const std::string& path) {
  std::vector<std::string> all{path};
  if (path.starts_with("/usr/"))
    all.push_back(path.substr(kMerged.size()));
  else
    all.push_back(std::string(kMerged) + path);
  return all;
}

// "libc6" of "libc6:amd64.list".
std::string package_of(const std::filesystem::path& list) {
  const std::string name = list.stem().string();
  return name.substr(0, name.find(':'));
}

// Lists are dpkg's own, so they are opened without the checks of files that
// others choose, which would double the time for a thousand of them.
UniqueFd open_list(const std::filesystem::path& list) {
  return UniqueFd(
      ::open(list.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

}  // namespace

bool PackageFiles::exist() const {
  return ::access(folder_.c_str(), R_OK | X_OK) == 0;
}

std::map<std::string, std::string> PackageFiles::owners(
    const std::vector<std::string>& paths) const {
  std::map<std::string, std::string> owners;
  std::map<std::string, std::string, std::less<>> wanted;
  for (const std::string& path : paths)
    for (std::string& spelling : spellings(path))
      wanted.emplace(std::move(spelling), path);
  // Of 100,000 lines, few have the length of a path that is looked for.
  std::vector<bool> is_length;
  for (const auto& [spelling, path] : wanted) {
    is_length.resize(std::max(is_length.size(), spelling.size() + 1));
    is_length[spelling.size()] = true;
  }
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_, error)) {
    if (entry.path().extension() != ".list") continue;
    const auto list = read_small_file(open_list(entry.path()), kMaxList);
    if (!list) continue;
    for (std::string_view rest = *list; !rest.empty();) {
      const std::string_view line = take_line(rest);
      if (line.size() >= is_length.size() || !is_length[line.size()]) continue;
      const auto found = wanted.find(line);
      if (found != wanted.end())
        owners.emplace(found->second, package_of(entry.path()));
    }
  }
  return owners;
}

std::string debug_package(std::string_view package) {
  return std::string(package) + (package == "libc6" ? "-dbg" : "-dbgsym");
}

}  // namespace wick

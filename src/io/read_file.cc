// SPDX-License-Identifier: Apache-2.0
#include "io/read_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "io/open_regular.h"
#include "io/unique_fd.h"

namespace wick {

std::optional<std::string> read_small_file(const std::string& path,
                                           std::uint64_t max_size,
                                           bool follow_links) {
  // Callers choose the directory.
  return read_small_file(
      open_regular(path, {.follow_link = follow_links, .on_network = true}),
      max_size);
}

std::optional<std::string> read_small_file(const UniqueFd& fd,
                                           std::uint64_t max_size) {
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return {};
  // Files in /proc and /sys report size 0, and some in tracefs and /proc/sys
  // return only what fits into the first read.
  constexpr std::uint64_t kLeast = 1 << 14;
  std::string content;
  std::uint64_t known = static_cast<std::uint64_t>(status.st_size);
  if (known > max_size) return {};
  std::size_t used = 0;
  content.resize(std::max(known + 1, kLeast));
  while (true) {
    if (used == content.size()) content.resize(2 * used);
    const ssize_t got =
        ::read(fd.get(), content.data() + used, content.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {};
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > max_size) return {};
  }
  content.resize(used);
  return content;
}

std::int64_t modification_time(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return 0;
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 +
         status.st_mtim.tv_nsec;
}

}  // namespace wick

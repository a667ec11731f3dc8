// SPDX-License-Identifier: Apache-2.0
#include "io/stored_bytes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace wick {
namespace {

// What is behind that many holes counts as stored.
constexpr int kMostHoles = 4096;

}  // namespace

std::uint64_t stored_bytes(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return 0;
  // Blocks alone do not tell: file systems that compress need fewer, and some
  // report none.
  if (static_cast<off_t>(info.st_blocks) * 512 >= info.st_size)
    return static_cast<std::uint64_t>(info.st_size);
  std::uint64_t sum = 0;
  off_t at = 0;
  for (int holes = 0; at < info.st_size; ++holes) {
    const off_t data = ::lseek(fd, at, SEEK_DATA);
    if (data < 0) return sum;  // only a hole is left
    const off_t hole = ::lseek(fd, data, SEEK_HOLE);
    at = hole <= data || holes == kMostHoles ? info.st_size : hole;
    sum += static_cast<std::uint64_t>(std::max<off_t>(at - data, 0));
  }
  return sum;
}

}  // namespace wick

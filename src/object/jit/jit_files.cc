// SPDX-License-Identifier: Apache-2.0
#include "object/jit/jit_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/text.h"
#include "io/open_regular.h"
#include "io/read_file.h"
#include "io/unique_fd.h"

namespace wick {
namespace {

std::optional<std::string> read_if_owned(const UniqueFd& fd, uid_t owner,
                                         std::uint64_t max_size) {
  struct stat info {};
  if (!fd || fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return std::nullopt;
  if (info.st_uid != owner && info.st_uid != 0) return std::nullopt;
  if (info.st_size < 0 || static_cast<std::uint64_t>(info.st_size) > max_size)
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t got =
        ::read(fd.get(), bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

// The last number of a line such as "NSpid:\t4711\t1"; the first of "Uid:".
std::optional<std::uint32_t> number_of(std::string_view status,
                                       std::string_view key, bool last) {
  std::size_t at = status.starts_with(key) ? 0 : status.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view line = status.substr(at + key.size());
  line = line.substr(0, line.find('\n'));
  std::optional<std::uint32_t> result;
  while (!line.empty()) {
    line = trim_left(line);
    const auto value = take_number<std::uint32_t>(line);
    if (!value) break;
    result = value;
    if (!last) break;
  }
  return result;
}

std::string root_of(std::uint32_t pid) {
  return fmt::format("/proc/{}/root", pid);
}

}  // namespace

std::optional<std::string> read_owned_file(const std::string& path, uid_t owner,
                                           std::uint64_t max_size) {
  return read_if_owned(open_regular(path, {.follow_link = false}), owner,
                       max_size);
}

std::optional<std::string> read_owned_file_in(const std::string& root,
                                              const std::string& path,
                                              uid_t owner,
                                              std::uint64_t max_size) {
  return read_if_owned(open_regular_in(root, path, {.follow_link = false}),
                       owner, max_size);
}

std::optional<ProcessIds> process_ids(std::uint32_t pid) {
  const auto status =
      read_small_file(fmt::format("/proc/{}/status", pid), 1 << 16);
  if (!status) return std::nullopt;
  const auto uid = number_of(*status, "\nUid:", false);
  if (!uid) return std::nullopt;
  return ProcessIds{
      .pid = pid,
      .namespace_pid = number_of(*status, "\nNSpid:", true).value_or(pid),
      .uid = *uid};
}

std::optional<JitMap> read_perf_map(std::uint32_t pid) {
  if (const auto ids = process_ids(pid)) {
    auto text = read_owned_file_in(
        root_of(pid), fmt::format("/tmp/perf-{}.map", ids->namespace_pid),
        ids->uid);
    if (text) return JitMap::from_perf_map(std::move(*text));
  }
  auto text =
      read_owned_file(fmt::format("/tmp/perf-{}.map", pid), ::geteuid());
  if (!text) return std::nullopt;
  return JitMap::from_perf_map(std::move(*text));
}

std::optional<JitMap> read_jitdump(std::uint32_t pid, const std::string& path) {
  if (const auto ids = process_ids(pid)) {
    auto bytes = read_owned_file_in(root_of(pid), path, ids->uid);
    if (bytes) return JitMap::from_jitdump(std::move(*bytes));
  }
  auto bytes = read_owned_file(path, ::geteuid());
  if (!bytes) return std::nullopt;
  return JitMap::from_jitdump(std::move(*bytes));
}

}  // namespace wick

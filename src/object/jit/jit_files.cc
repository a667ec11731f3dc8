// SPDX-License-Identifier: Apache-2.0
#include "object/jit/jit_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "base/text.h"
#include "io/open_regular.h"
#include "io/process_start.h"
#include "io/read_file.h"
#include "io/stored_bytes.h"

namespace wick {
namespace {

// Enough to tell what a file is.
constexpr std::size_t kHead = 4096;
// Holes read as zeros, which are no functions; a copy may have some in the code
// of a jitdump.
constexpr std::uint64_t kMaxGrowth = 4;

UniqueFd if_owned(UniqueFd fd, uid_t owner) {
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      (info.st_uid != owner && info.st_uid != 0))
    return {};
  return fd;
}

// In nanoseconds since 1970.
std::int64_t time_written(const UniqueFd& fd) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return 0;
  return info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
}

// Clocks are rounded, and adjusted in small steps.
UniqueFd if_written_since(UniqueFd fd, std::int64_t earliest) {
  constexpr std::int64_t kTolerance = 1'000'000'000;
  if (fd && earliest != 0 && time_written(fd) < earliest - kTolerance)
    return UniqueFd();
  return fd;
}

// The first `size` bytes, or fewer if the file is shorter.
std::string read_front(const UniqueFd& fd, std::uint64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::pread(fd.get(), bytes.data() + done,
                                bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

// Half of the memory is for the file, the other for its functions.
template <class Make>
std::optional<JitFile> read_jit_file(const UniqueFd& fd, MemoryAccount& memory,
                                     Make make) {
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return {};
  const auto whole = static_cast<std::uint64_t>(info.st_size);
  const std::uint64_t plausible = stored_bytes(fd.get()) * kMaxGrowth + kHead;
  const std::uint64_t size =
      std::min({whole, plausible, memory.available() / 2});
  if (!memory.take(size)) return {};
  JitFile file{.map = make(read_front(fd, size), memory.available())};
  memory.take(file.map.bytes());
  file.is_complete =
      size >= std::min(whole, plausible) && file.map.omitted() == 0;
  return file;
}

bool is_text(std::string_view head) {
  return head.find('\0') == std::string_view::npos;
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

UniqueFd open_owned_file(const std::string& path, uid_t owner) {
  return if_owned(open_regular(path, {.follow_link = false}), owner);
}

UniqueFd open_owned_file_in(const std::string& root, const std::string& path,
                            uid_t owner) {
  return if_owned(open_regular_in(root, path, {.follow_link = false}), owner);
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
      .uid = *uid,
      .start = process_start(pid).value_or(0)};
}

ProcessRoot ProcessRoot::open(std::uint32_t pid) {
  ProcessRoot root;
  root.root_ =
      UniqueFd(::open(root_of(pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto ids = process_ids(pid);
  if (ids)
    root.ids_ = *ids;
  else
    root.root_.reset();
  return root;
}

UniqueFd ProcessRoot::open_owned(const std::string& path) const {
  return open_owned_file_in(fmt::format("/proc/self/fd/{}", root_.get()), path,
                            ids_.uid);
}

UniqueFd open_perf_map(std::uint32_t pid, const ProcessRoot& root,
                       const ProcessTimes& times) {
  const std::int64_t start = root.is_open() ? root.ids().start : 0;
  const bool is_another = times.seen_until != 0 && start > times.seen_until;
  const std::int64_t earliest =
      is_another ? times.began : std::max(times.began, start);
  UniqueFd fd;
  if (root.is_open() && !is_another)
    fd = if_written_since(root.open_owned(fmt::format(
                              "/tmp/perf-{}.map", root.ids().namespace_pid)),
                          earliest);
  if (fd) return fd;
  fd = if_written_since(
      open_owned_file(fmt::format("/tmp/perf-{}.map", pid), ::geteuid()),
      earliest);
  // A newer process with this pid may have written it.
  if (is_another && fd && time_written(fd) >= start) return UniqueFd();
  return fd;
}

UniqueFd open_jitdump(const std::string& path, const ProcessRoot& root) {
  UniqueFd fd;
  if (root.is_open()) fd = root.open_owned(path);
  if (!fd) fd = open_owned_file(path, ::geteuid());
  return fd;
}

std::optional<JitFile> read_perf_map(const UniqueFd& fd,
                                     MemoryAccount& memory) {
  if (!fd || !is_text(read_front(fd, kHead))) return std::nullopt;
  return read_jit_file(fd, memory, JitMap::from_perf_map);
}

UniqueFd open_jitdump(std::uint32_t pid, const std::string& path) {
  UniqueFd fd = open_jitdump(path, ProcessRoot::open(pid));
  if (!fd || !JitMap::is_jitdump(read_front(fd, kHead))) return UniqueFd();
  return fd;
}

std::optional<JitFile> read_perf_map(std::uint32_t pid, MemoryAccount& memory,
                                     const ProcessTimes& times) {
  return read_perf_map(open_perf_map(pid, ProcessRoot::open(pid), times),
                       memory);
}

std::optional<JitFile> read_jitdump(const UniqueFd& fd, MemoryAccount& memory) {
  if (!fd || !JitMap::is_jitdump(read_front(fd, kHead))) return std::nullopt;
  return read_jit_file(fd, memory, JitMap::from_jitdump);
}

std::optional<JitFile> read_jitdump(std::uint32_t pid, const std::string& path,
                                    MemoryAccount& memory) {
  return read_jitdump(open_jitdump(path, ProcessRoot::open(pid)), memory);
}

}  // namespace wick

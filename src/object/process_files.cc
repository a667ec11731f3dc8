// SPDX-License-Identifier: Apache-2.0
#include "object/process_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/text.h"
#include "io/open_files.h"
#include "io/open_regular.h"
#include "object/address_space.h"
#include "object/debug_files.h"

namespace wick {
namespace {

std::string proc_folder(std::int32_t pid) {
  return fmt::format("/proc/{}", pid);
}

// Where a symbolic link leads to; "" if that cannot be read.
std::string target_of(const std::string& link) {
  char target[PATH_MAX];
  const ssize_t size = ::readlink(link.c_str(), target, sizeof target);
  return size < 0 ? "" : std::string(target, static_cast<std::size_t>(size));
}

// Nothing that was there for a minute is deleted within milliseconds of its
// use. Does not ask the server of a network file system, which may block.
bool is_new(const std::string& path) {
  constexpr std::int64_t kSeconds = 60;
  struct statx status {};
  return ::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_CTIME,
                 &status) == 0 &&
         status.stx_ctime.tv_sec + kSeconds > std::time(nullptr);
}

// "START-END"
bool covers(std::string_view name, std::uint64_t address) {
  const auto start = take_number<std::uint64_t>(name, 16);
  if (!start || !name.starts_with('-')) return false;
  name.remove_prefix(1);
  const auto end = take_number<std::uint64_t>(name, 16);
  return end && *start <= address && address < *end;
}

// A mapping changes its limits when a part of it is remapped or protected.
std::optional<std::string> link_around(const std::string& folder,
                                       std::uint64_t address) {
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error), end;
  for (std::size_t seen = 0;
       !error && at != end && seen < AddressSpace::kMaxMappings; ++seen) {
    if (covers(at->path().filename().string(), address))
      return at->path().string();
    at.increment(error);
  }
  return {};
}

std::string key_of(const CodeFile& file) {
  if (!file.build_id.empty()) return file.path + '\0' + file.build_id;
  const Inode& inode = file.inode;
  return file.path + '\0' +
         fmt::format("{}:{}:{}", inode.dev_major, inode.dev_minor,
                     inode.number);
}

}  // namespace

UniqueFd open_mapped_file(const CodeFile& file) {
  if (file.pid <= 0 || file.mapped_start >= file.mapped_end) {
    errno = ENOENT;
    return UniqueFd();
  }
  const std::string folder = proc_folder(file.pid) + "/map_files";
  UniqueFd fd = open_regular(
      fmt::format("{}/{:x}-{:x}", folder, file.mapped_start, file.mapped_end));
  if (fd || errno != ENOENT) return fd;
  const auto link = link_around(folder, file.mapped_start);
  errno = ENOENT;
  return link ? open_regular(*link) : UniqueFd();
}

UniqueFd open_program(const CodeFile& file) {
  return open_regular(proc_folder(file.pid) + "/exe");
}

bool is_program(const CodeFile& file) {
  const std::string path = target_of(proc_folder(file.pid) + "/exe");
  return !path.empty() && without_deleted_mark(path) == file.path;
}

UniqueFd open_in_root_of(std::int32_t pid, const std::string& path) {
  return open_in_root_of(proc_folder(pid), path);
}

UniqueFd open_in_root_of(const std::string& folder, const std::string& path) {
  const std::string root = folder + "/root";
  if (const std::string inside = path_in_root(folder, path); !inside.empty())
    if (UniqueFd fd = open_regular_in(root, inside); fd || errno != ENOENT)
      return fd;
  return open_regular_in(root, path);
}

std::string path_in_root(const std::string& folder, std::string_view path) {
  const std::string root = target_of(folder + "/root");
  if (root.size() < 2 || !path.starts_with(root)) return "";
  path.remove_prefix(root.size());
  return path.starts_with('/') ? std::string(path) : "";
}

bool has_other_inode(const UniqueFd& fd, const Inode& inode) {
  struct stat status {};
  return inode.number != 0 && fd && ::fstat(fd.get(), &status) == 0 &&
         status.st_dev == ::makedev(inode.dev_major, inode.dev_minor) &&
         status.st_ino != inode.number;
}

UniqueFd open_live_file(const CodeFile& file) {
  const auto is_right = [&](const UniqueFd& fd) {
    return fd && (!file.build_id.empty() || !has_other_inode(fd, file.inode));
  };
  if (UniqueFd fd = open_mapped_file(file); is_right(fd)) return fd;
  if (is_program(file))
    if (UniqueFd fd = open_program(file); is_right(fd)) return fd;
  const std::string path = marked_path(file);
  if (UniqueFd fd = open_in_root_of(file.pid, path); is_right(fd)) return fd;
  UniqueFd fd = open_regular(path);
  return is_right(fd) ? std::move(fd) : UniqueFd();
}

void KeptFiles::keep(const CodeFile& file) {
  std::string key = key_of(file);
  const std::scoped_lock lock(mutex_);
  if (files_.contains(key)) return;
  if (most_ == 0) most_ = open_files_share(8, 1024);
  if (most_ == 0) return;
  UniqueFd fd = take_program(file);
  if (!fd) fd = open_live_file(file);
  if (!fd || is_new(fmt::format("/proc/self/fd/{}", fd.get())))
    sees_new_files_ = true;
  if (!fd) return;
  if (order_.size() >= most_) {
    files_.erase(order_.front());
    order_.pop_front();
  }
  files_[key] = std::make_shared<const UniqueFd>(std::move(fd));
  order_.push_back(std::move(key));
}

void KeptFiles::keep_program(std::int32_t pid) {
  constexpr std::size_t kMost = 128;
  const std::scoped_lock lock(mutex_);
  if (new_programs_.size() >= open_files_share(32, kMost)) return;
  // Looking costs less than opening, and most programs are old.
  const std::string link = proc_folder(pid) + "/exe";
  if (!is_new(link)) return;
  sees_new_files_ = true;
  if (UniqueFd fd = open_program({.pid = pid}))
    new_programs_.push_back(
        {.pid = pid, .path = target_of(link), .fd = std::move(fd)});
}

void KeptFiles::forget_old_programs() {
  const std::scoped_lock lock(mutex_);
  old_programs_ = std::exchange(new_programs_, {});
}

UniqueFd KeptFiles::take_program(const CodeFile& file) {
  for (std::vector<Program>* programs : {&new_programs_, &old_programs_})
    for (Program& program : *programs)
      if (program.pid == file.pid && program.fd &&
          without_deleted_mark(program.path) == file.path &&
          !has_other_inode(program.fd, file.inode))
        return std::move(program.fd);
  return UniqueFd();
}

std::shared_ptr<const UniqueFd> KeptFiles::find(const CodeFile& file) const {
  const std::scoped_lock lock(mutex_);
  const auto at = files_.find(key_of(file));
  return at == files_.end() ? nullptr : at->second;
}

}  // namespace wick

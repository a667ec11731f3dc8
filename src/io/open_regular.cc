// SPDX-License-Identifier: Apache-2.0
#include "io/open_regular.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "io/read_file.h"

namespace wick {
namespace {

dev_t device_of(const struct statx& status) {
  return ::makedev(status.stx_dev_major, status.stx_dev_minor);
}

bool is_where_wick_is(dev_t device) {
  return std::ranges::any_of(std::array{"/", "."}, [&](const char* folder) {
    struct stat status {};
    return ::stat(folder, &status) == 0 && status.st_dev == device;
  });
}

// The type of a mounted file system; nothing if it is mounted only in another
// mount namespace.
std::optional<std::string> type_of(dev_t device) {
  constexpr std::uint64_t kMaxSize = std::uint64_t{64} << 20;
  const auto mounts = read_small_file("/proc/self/mountinfo", kMaxSize);
  const std::string number =
      fmt::format("{}:{}", ::major(device), ::minor(device));
  std::string_view rest = mounts ? std::string_view(*mounts) : "";
  while (!rest.empty()) {
    // "36 35 0:52 / /mnt rw shared:1 - nfs4 server:/export rw"
    std::string_view line = take_line(rest);
    take_word(line);
    take_word(line);
    if (take_word(line) != number) continue;
    while (!line.empty() && take_word(line) != "-") {
    }
    return std::string(take_word(line));
  }
  return {};
}

bool is_network_magic(decltype(statfs::f_type) magic) {
  constexpr std::uint32_t kFuse = 0x65735546, kCifs = 0xff534d42,
                          kSmb2 = 0xfe534d42, kCeph = 0x00c36400;
  switch (static_cast<std::uint32_t>(magic)) {
    case NFS_SUPER_MAGIC:
    case SMB_SUPER_MAGIC:
    case CODA_SUPER_MAGIC:
    case AFS_SUPER_MAGIC:
    case AFS_FS_MAGIC:
    case V9FS_MAGIC:
    case kFuse:
    case kCifs:
    case kSmb2:
    case kCeph:
      return true;
    default:
      return false;
  }
}

bool is_on_network(int handle, const struct statx& status) {
  // Devices with a driver of their own are disks.
  if (status.stx_dev_major != 0 || is_where_wick_is(device_of(status)))
    return false;
  if (const auto type = type_of(device_of(status)))
    return is_network_type(*type);
  struct statfs system {};
  return ::fstatfs(handle, &system) != 0 || is_network_magic(system.f_type);
}

bool is_same_file(int fd, const struct statx& examined) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_dev == device_of(examined) &&
         status.st_ino == examined.stx_ino;
}

UniqueFd refuse(int error) {
  errno = error;
  return UniqueFd();
}

UniqueFd reopen(const UniqueFd& handle, const OpenRules& rules) {
  if (!handle) return UniqueFd();
  struct statx status {};
  if (::statx(handle.get(), "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
              STATX_TYPE | STATX_INO, &status) != 0)
    return UniqueFd();
  if (S_ISLNK(status.stx_mode)) return refuse(ELOOP);
  if (!S_ISREG(status.stx_mode)) return refuse(EMEDIUMTYPE);
  if (!rules.on_network && ::geteuid() == 0 &&
      is_on_network(handle.get(), status))
    return refuse(EREMOTE);
  // O_NONBLOCK: a lease that another process holds makes opening wait for it.
  UniqueFd fd(::open(fmt::format("/proc/self/fd/{}", handle.get()).c_str(),
                     O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd && !is_same_file(fd.get(), status)) return refuse(ESTALE);
  return fd;
}

int handle_flags(const OpenRules& rules) {
  return O_PATH | O_CLOEXEC | (rules.follow_link ? 0 : O_NOFOLLOW);
}

}  // namespace

UniqueFd open_regular(const std::string& path, const OpenRules& rules) {
  return reopen(UniqueFd(::open(path.c_str(), handle_flags(rules))), rules);
}

UniqueFd open_regular_in(const std::string& root, const std::string& path,
                         const OpenRules& rules) {
  const UniqueFd folder(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return UniqueFd();
  struct open_how how {};
  how.flags = static_cast<std::uint64_t>(handle_flags(rules));
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return reopen(
      UniqueFd(static_cast<int>(::syscall(SYS_openat2, folder.get(),
                                          path.c_str(), &how, sizeof how))),
      rules);
}

std::string open_error() {
  if (errno == EMEDIUMTYPE) return "not a regular file";
  if (errno == EREMOTE)
    return "on a network file system, which is not read as root";
  return last_system_error();
}

bool is_network_type(std::string_view type) {
  // virtiofs is not among them: the machine's own host serves it. fuseblk reads
  // a disk, and only root can mount it.
  constexpr std::string_view kTypes[] = {
      "9p",   "afs",    "beegfs", "ceph", "cifs", "coda", "fuse",
      "gpfs", "lustre", "ncpfs",  "nfs",  "nfs4", "smb3", "smbfs"};
  return type.starts_with("fuse.") ||
         std::ranges::find(kTypes, type) != std::end(kTypes);
}

}  // namespace wick

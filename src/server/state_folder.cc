// SPDX-License-Identifier: Apache-2.0
#include "server/state_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "io/read_file.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxFile = 1 << 20;
constexpr const char* kLock = "lock";

// Others could have put anything there.
void check_owner(const UniqueFd& fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0)
    fail("{}: {}", path, last_system_error());
  if (status.st_uid != ::geteuid()) fail("{} belongs to another user", path);
  if ((status.st_mode & 077) == 0) return;
  // The folder may be one that others need, such as /tmp.
  if (S_ISDIR(status.st_mode))
    fail("{} is open to other users; expected a folder with mode 0700", path);
  fail("{} is open to other users; `chmod go= {}` closes it", path, path);
}

// Without a folder, errno says why.
UniqueFd open_folder(const std::string& path) {
  UniqueFd folder(
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder) check_owner(folder, path);
  return folder;
}

std::optional<std::string> read_in(const UniqueFd& folder,
                                   const std::string& path, const char* name) {
  const UniqueFd file(::openat(folder.get(), name,
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) {
    if (errno == ENOENT) return std::nullopt;
    fail("{}/{}: {}", path, name, last_system_error());
  }
  check_owner(file, fmt::format("{}/{}", path, name));
  auto content = read_small_file(file, kMaxFile);
  if (!content) fail("{}/{} is not a small file", path, name);
  return content;
}

}  // namespace

std::string default_state_folder() {
  if (::geteuid() == 0) return "/var/lib/wick";
  // As the XDG specification says, a relative path is ignored.
  if (const char* state = std::getenv("XDG_STATE_HOME");
      state != nullptr && *state == '/')
    return std::string(state) + "/wick";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    fail("HOME is not set, so there is no place for the state");
  return std::string(home) + "/.local/state/wick";
}

StateFolder::StateFolder(const std::string& path) : path_(path) {
  std::error_code error;
  const std::filesystem::path parent =
      std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    fail("{} cannot be made: {}", path, last_system_error());
  open();
  lock();
}

StateFolder::StateFolder(const std::string& path, UniqueFd lock)
    : path_(path), lock_(std::move(lock)) {
  open();
}

void StateFolder::open() {
  folder_ = open_folder(path_);
  if (!folder_) fail("{}: {}", path_, last_system_error());
}

std::string StateFolder::file(std::string_view name) const {
  return fmt::format("{}/{}", path_, name);
}

std::optional<std::string> StateFolder::read(std::string_view name) const {
  return read_in(folder_, path_, std::string(name).c_str());
}

void StateFolder::write(std::string_view name, std::string_view content) const {
  const std::string temporary = fmt::format("{}.new", name);
  ::unlinkat(folder_.get(), temporary.c_str(), 0);
  const UniqueFd file(::openat(folder_.get(), temporary.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  const auto check = [&](bool done) {
    if (!done) fail("{}: {}", this->file(name), last_system_error());
  };
  check(static_cast<bool>(file));
  while (!content.empty()) {
    const ssize_t n = ::write(file.get(), content.data(), content.size());
    check(n > 0 || errno == EINTR);
    if (n > 0) content.remove_prefix(static_cast<std::size_t>(n));
  }
  check(::fsync(file.get()) == 0);
  check(::renameat(folder_.get(), temporary.c_str(), folder_.get(),
                   std::string(name).c_str()) == 0);
}

void StateFolder::remove(std::string_view name) const {
  ::unlinkat(folder_.get(), std::string(name).c_str(), 0);
}

// The kernel releases it with the process, however that ends.
void StateFolder::lock() {
  lock_ = UniqueFd(::openat(folder_.get(), kLock,
                            O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!lock_) fail("{}: {}", file(kLock), last_system_error());
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    const std::string pid(trim(read_small_file(lock_, kMaxFile).value_or("")));
    fail("{} is used by another server{}", path_,
         all_digits(pid) ? fmt::format(", of pid {}", pid) : "");
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(lock_.get(), 0) != 0 ||
      ::pwrite(lock_.get(), pid.data(), pid.size(), 0) < 0)
    fail("{}: {}", file(kLock), last_system_error());
}

std::optional<std::string> read_state(const std::string& folder,
                                      std::string_view name) {
  const UniqueFd open = open_folder(folder);
  if (!open && errno == ENOENT) return std::nullopt;
  if (!open) fail("{}: {}", folder, last_system_error());
  return read_in(open, folder, std::string(name).c_str());
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "cli/temporary_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/error.h"

namespace wick {
namespace {

using Clock = std::chrono::steady_clock;

// "wick-0123456789abcdef.tmp": nobody calls their own directory so.
constexpr std::string_view kNameBegin = "wick-", kNameEnd = ".tmp";
constexpr std::size_t kNameDigits = 16;

// perf.data may be a directory (perf record --threads).
constexpr int kMostLevels = 2;

// For leftovers: that long, or so many files if the machine is too busy for
// more in that time.
constexpr auto kTimeForLeftovers = std::chrono::milliseconds(100);
constexpr int kFilesForLeftovers = 64;

class Budget {
 public:
  static Budget unlimited() { return Budget(Clock::time_point::max()); }
  static Budget for_leftovers() {
    return Budget(Clock::now() + kTimeForLeftovers);
  }
  // Before each file.
  bool is_spent() {
    return ++files_ > kFilesForLeftovers && Clock::now() >= end_;
  }

 private:
  explicit Budget(Clock::time_point end) : end_(end) {}
  Clock::time_point end_;
  int files_ = 0;
};

std::string temporary_place() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != 0 ? folder : "/tmp";
}

std::string new_name() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) !=
      static_cast<ssize_t>(sizeof random))
    fail("cannot create a temporary directory: {}", last_system_error());
  return fmt::format("{}{:016x}{}", kNameBegin, random, kNameEnd);
}

bool is_temporary_name(std::string_view name) {
  if (name.size() != kNameBegin.size() + kNameDigits + kNameEnd.size() ||
      !name.starts_with(kNameBegin) || !name.ends_with(kNameEnd))
    return false;
  return std::ranges::all_of(
      name.substr(kNameBegin.size(), kNameDigits),
      [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// Neither through a link nor into a mount, whose file system (FUSE) may be
// another user's and never answer.
UniqueFd open_folder_in(int parent, const char* name) {
  struct open_how how {};
  how.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  return UniqueFd(
      static_cast<int>(::syscall(SYS_openat2, parent, name, &how, sizeof how)));
}

// Calls `visit` with each name in the directory.
template <typename Visit>
void for_each_name(int folder, Budget& budget, Visit visit) {
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(::fdopendir(again),
                                                 ::closedir);
  if (!list) {
    ::close(again);
    return;
  }
  while (const dirent* entry = ::readdir(list.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (budget.is_spent()) return;
    visit(entry->d_name);
  }
}

void remove_content(int folder, Budget& budget, int levels) {
  for_each_name(folder, budget, [&](const char* name) {
    if (::unlinkat(folder, name, 0) == 0 || errno != EISDIR || levels == 1)
      return;
    const UniqueFd inner = open_folder_in(folder, name);
    if (!inner) return;
    remove_content(inner.get(), budget, levels - 1);
    ::unlinkat(folder, name, AT_REMOVEDIR);
  });
}

// Whether a name of ours in the directory is there because we made it there:
// others cannot rename a directory of ours to one that is removed.
bool keeps_names(int folder) {
  struct stat info {};
  if (::fstat(folder, &info) != 0) return false;
  return (info.st_uid == ::geteuid() || info.st_uid == 0) &&
         ((info.st_mode & (S_IWGRP | S_IWOTH)) == 0 ||
          (info.st_mode & S_ISVTX) != 0);
}

void remove_if_left(int place, const char* name, Budget& budget) {
  const UniqueFd folder = open_folder_in(place, name);
  struct stat info {};
  if (!folder || ::fstat(folder.get(), &info) != 0 ||
      info.st_uid != ::geteuid() || (info.st_mode & ACCESSPERMS) != S_IRWXU ||
      ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0)
    return;
  remove_content(folder.get(), budget, kMostLevels);
  ::unlinkat(place, name, AT_REMOVEDIR);
}

bool is_same_file(int fd, int folder, const std::string& name) {
  struct stat open {
  }, named{};
  return ::fstat(fd, &open) == 0 &&
         ::fstatat(folder, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

void remove_leftovers(const std::string& parent) {
  const UniqueFd place(
      ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!place || !keeps_names(place.get())) return;
  Budget budget = Budget::for_leftovers();
  for_each_name(place.get(), budget, [&](const char* name) {
    if (is_temporary_name(name)) remove_if_left(place.get(), name, budget);
  });
}

TemporaryFolder::TemporaryFolder(std::string parent)
    : parent_(parent.empty() ? temporary_place() : std::move(parent)) {
  remove_leftovers(parent_);
  place_ = UniqueFd(::open(parent_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (int tries = 0; tries < 100 && place_; ++tries)
    if (create()) return;
  fail("{}: cannot create a temporary directory: {}", parent_,
       last_system_error());
}

// Before it is locked, another wick may take the new directory for a leftover
// and remove it; this is noticed here.
bool TemporaryFolder::create() {
  name_ = new_name();
  if (::mkdirat(place_.get(), name_.c_str(), S_IRWXU) != 0) return false;
  folder_ = UniqueFd(::openat(place_.get(), name_.c_str(),
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder_) {
    // Without locks on this file system, nothing there is ever a leftover.
    while (::flock(folder_.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    return is_same_file(folder_.get(), place_.get(), name_);
  }
  const int error = errno;
  ::unlinkat(place_.get(), name_.c_str(), AT_REMOVEDIR);
  errno = error;
  return false;
}

TemporaryFolder::~TemporaryFolder() {
  Budget budget = Budget::unlimited();
  remove_content(folder_.get(), budget, kMostLevels);
  ::unlinkat(place_.get(), name_.c_str(), AT_REMOVEDIR);
}

OutputName TemporaryFolder::file(std::string_view name) const {
  return OutputName::chosen(fmt::format("{}/{}", path(), name), parent_);
}

TemporaryFile::TemporaryFile() {
  const std::string parent = temporary_place();
  remove_leftovers(parent);
  file_ =
      UniqueFd(::open(parent.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC,
                      S_IRUSR | S_IWUSR));
  if (file_) {
    name_ = OutputName::typed(fmt::format("/proc/self/fd/{}", file_.get()));
  } else {
    folder_.emplace();
    name_ = folder_->file("file");
  }
  name_.shown = "temporary file in " + parent;
}

}  // namespace wick

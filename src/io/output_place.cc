// SPDX-License-Identifier: Apache-2.0
#include "io/output_place.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace wick {
namespace {

constexpr int kMostLinks = 40;  // as in the kernel

bool is_trusted(uid_t owner) { return owner == ::geteuid() || owner == 0; }

// Whether only the owner, if trusted, can make names in the directory.
bool is_closed(const struct stat& folder) {
  return is_trusted(folder.st_uid) &&
         (folder.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Whether a link of ours in the directory is there because we want it. Anybody
// who can make names in a directory can also move a link there that we made
// elsewhere, so a sticky one does not do. Users other than root may share their
// own directories with a group that they trust.
bool may_follow_in(const struct stat& folder) {
  const bool shared = folder.st_uid == ::geteuid() && folder.st_uid != 0;
  return is_trusted(folder.st_uid) && (folder.st_mode & S_IWOTH) == 0 &&
         (shared || (folder.st_mode & S_IWGRP) == 0);
}

// Whether nobody else can change what a name of ours in the directory means.
bool keeps_names(const struct stat& folder) {
  return is_closed(folder) ||
         (is_trusted(folder.st_uid) && (folder.st_mode & S_ISVTX) != 0);
}

struct stat status_of(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) fail("cannot write: {}", last_system_error());
  return info;
}

bool is_device_folder(const struct stat& folder) {
  struct stat devices {};
  return ::stat("/dev", &devices) == 0 && devices.st_dev == folder.st_dev &&
         devices.st_ino == folder.st_ino;
}

bool is_in_proc(int folder) {
  struct statfs info {};
  return ::fstatfs(folder, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

std::string target_of(int link) {
  std::string target(PATH_MAX, '\0');
  const ssize_t size = ::readlinkat(link, "", target.data(), target.size());
  if (size < 0) fail("cannot write: {}", last_system_error());
  target.resize(static_cast<std::size_t>(size));
  return target;
}

// Follows a path, one component at a time.
class Walk {
 public:
  explicit Walk(const OutputName& name) {
    enter(UniqueFd(::open(name.path.starts_with('/') ? "/" : ".", kFolder)));
    push(name.path, name.typed_size);
  }

  // Creates missing directories, for this user only.
  void create_folders() { creates_ = true; }

  // Goes to the directory of the last component.
  void to_last() {
    while (true) {
      const bool last = rest_.size() == 1;
      if (rest_.empty() || (last && !enter_link())) return;
      if (!last) step();
    }
  }
  // Goes to the directory that the whole path names.
  void to_end() {
    while (!rest_.empty()) step();
  }

  const struct stat& folder_status() const { return folder_status_; }
  // Whether all directories so far belong to this user or root.
  bool all_trusted() const { return all_trusted_; }
  // "" if the path is that of the directory itself.
  std::string last_name() const {
    return rest_.empty() ? "" : rest_.back().name;
  }
  bool last_is_typed() const { return !rest_.empty() && rest_.back().typed; }
  UniqueFd take_folder() { return std::move(folder_); }

 private:
  static constexpr int kEntry = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  // O_DIRECTORY lets the kernel mount what is mounted on demand.
  static constexpr int kFolder = kEntry | O_DIRECTORY;

  struct Component {
    std::string name;
    bool typed;  // by the user, or reached by a link that they typed
  };

  void enter(UniqueFd folder) {
    if (!folder) fail("cannot write: {}", last_system_error());
    folder_ = std::move(folder);
    folder_status_ = status_of(folder_.get());
    all_trusted_ = all_trusted_ && is_trusted(folder_status_.st_uid);
  }

  // Puts the components of `path` before the rest.
  void push(std::string_view path, std::size_t typed_size) {
    std::vector<Component> parts;
    for (std::size_t at = 0; at < path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      if (end > at)
        parts.push_back(
            {std::string(path.substr(at, end - at)), end <= typed_size});
      at = end + 1;
    }
    rest_.insert(rest_.end(), parts.rbegin(), parts.rend());
  }

  UniqueFd open_entry(int flags) const {
    return UniqueFd(::openat(folder_.get(), rest_.back().name.c_str(), flags));
  }

  // Goes through one component that must be a directory or lead to one.
  void step() {
    UniqueFd entry = open_entry(kFolder);
    if (!entry && errno == ENOENT && creates_ && all_trusted_) {
      ::mkdirat(folder_.get(), rest_.back().name.c_str(), S_IRWXU);
      entry = open_entry(kFolder);  // which another wick may have created
    }
    if (entry) {
      rest_.pop_back();
      return enter(std::move(entry));
    }
    if ((errno != ENOTDIR && errno != ELOOP) || !enter_link())
      fail("cannot write: {}", last_system_error());
  }

  // If the next component is a link that is followed, replaces it by the
  // components of its target. Fails for other links that are not the last.
  bool enter_link() {
    const UniqueFd entry = open_entry(kEntry);
    if (!entry) return false;
    const struct stat info = status_of(entry.get());
    if (!S_ISLNK(info.st_mode)) {
      errno = ENOTDIR;
      return false;
    }
    const bool last = rest_.size() == 1, in_proc = is_in_proc(folder_.get());
    if (last && (in_proc || !follows_last(info))) return false;
    if (!last && !follows(info, in_proc))
      fail(
          "{} is a symbolic link that somebody else may have made; name the "
          "directory it leads to",
          rest_.back().name);
    if (++links_ > kMostLinks) {
      errno = ELOOP;
      fail("cannot write: {}", last_system_error());
    }
    if (in_proc) {
      // The text of /proc/1/root is not where it leads.
      enter(open_entry(kFolder & ~O_NOFOLLOW));
      rest_.pop_back();
      return true;
    }
    const std::string target = target_of(entry.get());
    if (target.starts_with('/')) enter(UniqueFd(::open("/", kFolder)));
    rest_.pop_back();
    push(target, target.size());
    return true;
  }

  bool has_one_name(const struct stat& link) const {
    return link.st_nlink == 1 || is_closed(folder_status_);
  }
  bool follows(const struct stat& link, bool in_proc) const {
    return rest_.back().typed &&
           (in_proc || is_device_folder(folder_status_) ||
            (is_trusted(link.st_uid) && may_follow_in(folder_status_) &&
             has_one_name(link)));
  }
  bool follows_last(const struct stat& link) const {
    const uid_t user = ::geteuid();
    return rest_.back().typed &&
           (is_device_folder(folder_status_) ||
            (link.st_uid == user && folder_status_.st_uid == user &&
             may_follow_in(folder_status_) && has_one_name(link)));
  }

  UniqueFd folder_;
  struct stat folder_status_ {};
  std::vector<Component> rest_;  // the next one last
  bool creates_ = false, all_trusted_ = true;
  int links_ = 0;
};

// Whether only this user or root can have put a special file there.
bool is_trusted_special(const struct stat& file, const struct stat& folder) {
  return is_closed(folder) || is_device_folder(folder) ||
         (is_trusted(file.st_uid) && file.st_nlink == 1);
}

std::string path_of(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

std::string temporary_name(const std::string& name) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) !=
      static_cast<ssize_t>(sizeof random))
    fail("cannot write: {}", last_system_error());
  const std::string end = fmt::format(".{:016x}.part", random);
  return name.substr(0, NAME_MAX - end.size()) + end;
}

}  // namespace

OutputPlace::OutputPlace(const OutputName& name) {
  if (name.empty()) {
    errno = ENOENT;
    fail("cannot write: {}", last_system_error());
  }
  Walk walk(name);
  walk.to_last();
  const struct stat folder = walk.folder_status();
  name_ = walk.last_name();
  typed_ = walk.last_is_typed();
  folder_ = walk.take_folder();
  if (name_.empty() || name.path.ends_with('/'))
    fail("is a directory, not a file");
  entry_ = UniqueFd(
      ::openat(folder_.get(), name_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!entry_ && errno != ENOENT) fail("cannot write: {}", last_system_error());
  if (!entry_) return;
  existing_ = status_of(entry_.get());
  if (S_ISDIR(existing_->st_mode)) fail("is a directory, not a file");
  const bool in_proc = is_in_proc(folder_.get());
  if (in_proc) entry_.reset();  // a link that only the kernel can follow
  special_ = typed_ && (in_proc || (!S_ISREG(existing_->st_mode) &&
                                    !S_ISLNK(existing_->st_mode) &&
                                    is_trusted_special(*existing_, folder)));
  if (!special_) check_replaceable();
}

OutputPlace::OutputPlace(UniqueFd folder, std::string name)
    : folder_(std::move(folder)), name_(std::move(name)) {}

// Known before anything is computed; the kernel would say so at the end.
void OutputPlace::check_replaceable() const {
  const struct stat folder = status_of(folder_.get());
  const uid_t user = ::geteuid();
  if ((folder.st_mode & S_ISVTX) != 0 && user != 0 && folder.st_uid != user &&
      existing_->st_uid != user)
    fail(
        "belongs to another user, and only they can replace it in this "
        "directory; choose another name");
}

UniqueFd OutputPlace::open_special(int flags) const {
  flags |= O_CLOEXEC | O_NOCTTY;
  // Through /proc, it is the file that was looked at and no other.
  UniqueFd fd(entry_ ? ::open(path_of(entry_.get()).c_str(), flags)
                     : ::openat(folder_.get(), name_.c_str(), flags));
  if (!fd) fail("cannot write: {}", last_system_error());
  return fd;
}

bool OutputPlace::has_older() const {
  return existing_ && !special_ && existing_->st_size > 0;
}

void OutputPlace::keep_older() const {
  const std::string old = name_ + ".old";
  if (::renameat(folder(), name_.c_str(), folder(), old.c_str()) != 0)
    fail("cannot rename the older file to {}: {}", old, last_system_error());
}

std::optional<std::string> OutputPlace::safe_folder_path() const {
  const std::string link = path_of(folder_.get());
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  if (size <= 0 || path[0] != '/') return {};
  path.resize(static_cast<std::size_t>(size));
  struct stat info {};
  for (std::size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    if (::lstat(path.substr(0, end).c_str(), &info) != 0 ||
        !S_ISDIR(info.st_mode) || !keeps_names(info))
      return {};
  }
  return path;
}

void OutputPlace::fail_to_write() const {
  const std::string reason = last_system_error();
  if (typed_ && existing_ && S_ISLNK(existing_->st_mode))
    fail(
        "cannot write: {}; this symbolic link is not followed, since it or its "
        "directory belongs to another user: name the file it leads to",
        reason);
  fail("cannot write: {}", reason);
}

NewFile::NewFile(const OutputPlace& place, mode_t mode) : place_(place) {
  fd_ = UniqueFd(
      ::openat(place.folder(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  // Only /proc can give it a name.
  if (fd_ && ::access(path_of(fd_.get()).c_str(), F_OK) == 0) return;
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  temporary_ = temporary_name(place.name());
  fd_ = UniqueFd(::openat(place.folder(), temporary_.c_str(), kFlags, mode));
  if (!fd_) place.fail_to_write();
}

NewFile::~NewFile() {
  if (!temporary_.empty()) ::unlinkat(place_.folder(), temporary_.c_str(), 0);
}

bool NewFile::link(const std::string& name) const {
  return ::linkat(AT_FDCWD, path_of(fd_.get()).c_str(), place_.folder(),
                  name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

void NewFile::put_in_place() {
  if (temporary_.empty()) {
    if (link(place_.name())) return;
    if (errno != EEXIST) place_.fail_to_write();
    // linkat() does not replace anything, renameat() does.
    temporary_ = temporary_name(place_.name());
    if (!link(temporary_)) place_.fail_to_write();
  }
  if (::renameat(place_.folder(), temporary_.c_str(), place_.folder(),
                 place_.name().c_str()) != 0)
    place_.fail_to_write();
  temporary_.clear();
}

UniqueFd open_own_folder(const OutputName& name, bool create) try {
  Walk walk(name);
  if (create) walk.create_folders();
  walk.to_end();
  const struct stat& folder = walk.folder_status();
  const bool own =
      walk.all_trusted() && is_closed(folder) && folder.st_uid == ::geteuid();
  return own ? walk.take_folder() : UniqueFd();
} catch (const Error&) {
  return UniqueFd();
}

}  // namespace wick

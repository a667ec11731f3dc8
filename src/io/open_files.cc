// SPDX-License-Identifier: Apache-2.0
#include "io/open_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

namespace wick {

std::size_t open_files_share(std::size_t part, std::size_t most) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  return static_cast<std::size_t>(
      std::min<rlim_t>(limit.rlim_cur / part, most));
}

OpenFile::OpenFile(UniqueFd fd)
    : fd_(std::make_shared<const UniqueFd>(std::move(fd))) {}

OpenFile::OpenFile(std::shared_ptr<OpenFiles> all, UniqueFd fd, Reopen reopen)
    : all_(std::move(all)),
      fd_(std::make_shared<const UniqueFd>(std::move(fd))),
      reopen_(std::move(reopen)) {
  ::fstat(fd_->get(), &identity_);
  const std::scoped_lock lock(all_->mutex_);
  place_ = all_->open_.insert(all_->open_.begin(), this);
  use();
}

OpenFile::~OpenFile() {
  if (!all_) return;
  const std::scoped_lock lock(all_->mutex_);
  if (fd_) all_->open_.erase(place_);
}

// A file that is overwritten in place keeps its inode but not its time.
bool OpenFile::is_same(const UniqueFd& fd) const {
  struct stat now {};
  return fd && ::fstat(fd.get(), &now) == 0 && now.st_dev == identity_.st_dev &&
         now.st_ino == identity_.st_ino && now.st_size == identity_.st_size &&
         now.st_mtim.tv_sec == identity_.st_mtim.tv_sec &&
         now.st_mtim.tv_nsec == identity_.st_mtim.tv_nsec;
}

void OpenFile::use() {
  std::list<OpenFile*>& open = all_->open_;
  open.splice(open.begin(), open, place_);
  while (open.size() > all_->most_ && open.back() != this) {
    open.back()->fd_ = nullptr;
    open.pop_back();
  }
}

std::shared_ptr<const UniqueFd> OpenFile::fd() {
  if (!all_) return fd_;
  const std::scoped_lock lock(all_->mutex_);
  if (!fd_) {
    UniqueFd again = reopen_();
    if (!is_same(again)) return nullptr;
    fd_ = std::make_shared<const UniqueFd>(std::move(again));
    place_ = all_->open_.insert(all_->open_.begin(), this);
  }
  use();
  return fd_;
}

}  // namespace wick

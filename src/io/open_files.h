// SPDX-License-Identifier: Apache-2.0
// Files that are read now and then, of which only the most recently used stay
// open: a process may not have thousands open at once. A file that was closed
// is opened again when it is needed, and used only if it is still the same.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "io/unique_fd.h"

namespace wick {

// How many files may be held open for one purpose: at most `most`, and at most
// this part of what the process may have open.
std::size_t open_files_share(std::size_t part, std::size_t most);

class OpenFile;

class OpenFiles {
 public:
  explicit OpenFiles(std::size_t most = 64) : most_(most) {}

 private:
  friend class OpenFile;
  const std::size_t most_;
  std::mutex mutex_;
  std::list<OpenFile*> open_;  // the most recently used first
};

class OpenFile {
 public:
  using Reopen = std::function<UniqueFd()>;

  // Stays open.
  explicit OpenFile(UniqueFd fd);
  // May be closed if more of `all` are in use; `reopen` opens it again.
  OpenFile(std::shared_ptr<OpenFiles> all, UniqueFd fd, Reopen reopen);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  // Open as long as the caller keeps it. Null if the file had been closed and
  // is gone, has been replaced or modified. Thread-safe.
  std::shared_ptr<const UniqueFd> fd();

 private:
  bool is_same(const UniqueFd& fd) const;
  void use();  // with the mutex

  std::shared_ptr<OpenFiles> all_;
  std::shared_ptr<const UniqueFd> fd_;
  Reopen reopen_;
  struct stat identity_ {};
  std::list<OpenFile*>::iterator place_;  // if fd_
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The files that a running process executes, when their names no longer lead to
// them: deleted, replaced by an upgrade, or named within a root or a mount
// namespace of its own. The kernel has a link to each:
//
//   /proc/PID/map_files/START-END  a mapped file; for root, or with
//                                  CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN
//   /proc/PID/exe                  the program; for the user of the process
//
// Whose path it is depends on who asked. The kernel's records of mappings have
// names from the root of the process that mapped. In /proc/PID/maps they start
// at the root of the reader or, in another mount namespace, at that one's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/unique_fd.h"

namespace wick {

struct CodeFile;  // object/debug_files.h
struct Inode;

// The file that the process has mapped at file.mapped_start, if it is still
// mapped. Not open, with errno set, if there is none: EPERM without the right.
UniqueFd open_mapped_file(const CodeFile& file);
// The program of the process; the caller checks that it is the right file.
UniqueFd open_program(const CodeFile& file);
// Whether the program of the process has exactly this path, or had it before
// it was deleted.
bool is_program(const CodeFile& file);
// In the root directory of the process, whose path it may begin with.
UniqueFd open_in_root_of(std::int32_t pid, const std::string& path);
// The same for its folder in /proc.
UniqueFd open_in_root_of(const std::string& folder, const std::string& path);
// `path` within the root directory of the process; "" if it is not known to be
// there.
std::string path_in_root(const std::string& folder, std::string_view path);

// Whichever of these the process has, or what has its path here.
UniqueFd open_live_file(const CodeFile& file);
// Whether an open file certainly is not the one with this inode. On a file
// system whose mapped files are of another device (overlayfs, btrfs), that is
// unknown.
bool has_other_inode(const UniqueFd& fd, const Inode& inode);

// Files that stay open while their process or their names may disappear. When
// there are too many, the oldest are closed.
class KeptFiles {
 public:
  // Opens the file of a running process, unless it is open already.
  void keep(const CodeFile& file);
  // Null if it is not kept.
  std::shared_ptr<const UniqueFd> find(const CodeFile& file) const;

  // Opens the program that a process has begun to execute if it is less than a
  // minute old: it may be gone when keep() is called for it. Until the second
  // forget_old_programs().
  void keep_program(std::int32_t pid);
  void forget_old_programs();
  // Whether one of the files or programs was as new, or gone already when it
  // was to be kept: programs are built, run and perhaps deleted.
  bool sees_new_files() const { return sees_new_files_; }

 private:
  struct Program {
    std::int32_t pid = 0;
    std::string path;
    UniqueFd fd;  // none: keep() has it
  };
  UniqueFd take_program(const CodeFile& file);

  mutable std::mutex mutex_;
  std::size_t most_ = 0;  // 0: not known yet
  std::atomic<bool> sees_new_files_ = false;
  std::unordered_map<std::string, std::shared_ptr<const UniqueFd>> files_;
  std::deque<std::string> order_;  // oldest first
  std::vector<Program> new_programs_, old_programs_;
};

}  // namespace wick

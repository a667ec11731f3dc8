// SPDX-License-Identifier: Apache-2.0
// Temporary files of which nothing stays, not even after SIGKILL.
//
// What only wick reads has no name (O_TMPFILE): the kernel removes it with the
// process. What another program must find by name, as perf does, is in a
// directory that wick holds a lock on (flock). The kernel releases the lock
// with the process, and the next run that needs the place removes the
// directories that nobody has locked.
//
// A file without a name has one in /proc/self/fd. NFS and FAT have no such
// files; there, they are in a directory, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/output_name.h"
#include "io/unique_fd.h"

namespace wick {

// A new directory for temporary files that only this user can enter, removed
// with its content.
class TemporaryFolder {
 public:
  // In `parent`; "": in TMPDIR. Removes what killed runs left there.
  explicit TemporaryFolder(std::string parent = "");
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  std::string path() const { return parent_ + "/" + name_; }
  // A file in it.
  OutputName file(std::string_view name) const;

 private:
  bool create();

  std::string parent_, name_;
  UniqueFd place_, folder_;  // `folder_` has the lock
};

// An empty file in TMPDIR that only this process opens.
class TemporaryFile {
 public:
  TemporaryFile();
  // Opens it as often as needed; it does not work in another process.
  const OutputName& name() const { return name_; }

 private:
  std::optional<TemporaryFolder> folder_;
  UniqueFd file_;
  OutputName name_;
};

// Removes the temporary directories of this user in `parent` whose wick has
// ended. Leaves alone what has another owner, mode or kind of name, links,
// mounts, and everything if others can rename things in `parent`. Takes a tenth
// of a second at most, except on a machine that is too busy; the next run
// continues.
void remove_leftovers(const std::string& parent);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Where an output goes, found without trusting what lies on the way. All files
// that wick writes come from here.
//
// wick runs as root in directories where others can write, and in directories
// that came out of somebody's archive. A symbolic link planted there must not
// lead an output to another file, and a file that somebody made in advance must
// not receive it. So a path is not passed to open(), which follows links by
// itself, but walked one component at a time, each opened with O_NOFOLLOW from
// the handle of the directory before. A link is followed only if it is in the
// part of the name that the user typed (OutputName), and
//
//   * as the last component, if the link and its directory belong to the user;
//   * on the way there, if both belong to the user or to root;
//
// and in both cases only if others cannot move links into that directory, as
// they can into /tmp.
//
// Any other link on the way is an error, and any other link at the end is
// replaced, as is a file: the output is a new file without a name or (O_EXCL)
// with one nobody can guess, and replaces whatever bears the final name.
// Nothing that existed before is ever opened for writing, with one exception:
// special files. /dev/null, /dev/stdout and FIFOs that the user typed are
// written directly if only the user or root can have put them there.
//
// "The user" is the effective user of the process. Where fs.protected_hardlinks
// is 0, anybody can make a hard link to a link or FIFO of root; hence one with
// several names counts only in a directory where nobody else can make names.
#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>

#include "io/output_name.h"
#include "io/unique_fd.h"

namespace wick {

class OutputPlace {
 public:
  // Fails if there is no such directory, if the way there leads through
  // somebody else's link, or if the name cannot be replaced because it is that
  // of a directory, or of another user's file in a sticky directory.
  explicit OutputPlace(const OutputName& name);
  // A name in a directory that is open already; all of it is wick's choice.
  OutputPlace(UniqueFd folder, std::string name);

  int folder() const { return folder_.get(); }
  const std::string& name() const { return name_; }  // in folder()

  // Whether it is written directly: a device, a FIFO, or the name of an open
  // file (/dev/stdout, /dev/fd/3), even if that is a regular one.
  bool is_special() const { return special_; }
  // Fails if it cannot be opened. `flags` are O_WRONLY or O_RDWR and more.
  UniqueFd open_special(int flags) const;

  // Whether something bears the name that is not an empty file. It may be a
  // link that is not followed.
  bool has_older() const;
  // Renames that to NAME.old.
  void keep_older() const;

  // The directory's path if only this user and root can change what it leads
  // to, so that it can be passed to another program.
  std::optional<std::string> safe_folder_path() const;

  // Adds the reason to "cannot write", by errno.
  [[noreturn]] void fail_to_write() const;

 private:
  void check_replaceable() const;

  UniqueFd folder_;
  std::string name_;
  UniqueFd entry_;  // what bears the name, by O_PATH; not if opened by name
  std::optional<struct stat> existing_;
  bool typed_ = false, special_ = false;
};

// A new file in the directory of a place. It has no name yet, so that nothing
// is left of it if wick is killed; where the file system has no such files
// (O_TMPFILE), it has a temporary one.
class NewFile {
 public:
  // `place` outlives it.
  NewFile(const OutputPlace& place, mode_t mode);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();  // removes the file, unless it has its final name

  int fd() const { return fd_.get(); }
  // Gives it its final name, in place of whatever bears it.
  void put_in_place();
  UniqueFd take_fd() { return std::move(fd_); }

 private:
  bool link(const std::string& name) const;  // false: see errno

  const OutputPlace& place_;
  std::string temporary_;  // "": it has no name, or its final one
  UniqueFd fd_;
};

// Opens a directory, by O_PATH, whose content only this user can have made: it
// belongs to them, nobody else can write to it, and the directories on the way
// belong to them or to root. Links are followed as on the way to an output.
// Nothing otherwise. If `create`, missing directories are created, for this
// user only.
UniqueFd open_own_folder(const OutputName& name, bool create);

}  // namespace wick

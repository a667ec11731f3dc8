// SPDX-License-Identifier: Apache-2.0
// Where a server keeps what outlives it: the database, its token, its
// certificate. Only its user can enter, and one server at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/unique_fd.h"

namespace wick {

// /var/lib/wick for root, else wick in $XDG_STATE_HOME or ~/.local/state.
std::string default_state_folder();

class StateFolder {
 public:
  // Makes it if needed. An Error if it belongs to another user, if others can
  // enter it, or if another server uses it, whose pid is in the message.
  explicit StateFolder(const std::string& path);
  // The same folder in another process, which shares the lock of the first.
  StateFolder(const std::string& path, UniqueFd lock);

  const std::string& path() const { return path_; }
  // What holds the lock until every process that has it ends.
  const UniqueFd& held_lock() const { return lock_; }
  // The path of a file in it.
  std::string file(std::string_view name) const;

  // A small file in it; nothing if it does not exist. An Error for one that
  // others can read, or that is no regular file.
  std::optional<std::string> read(std::string_view name) const;
  // Readable by its user only; complete or not at all.
  void write(std::string_view name, std::string_view content) const;
  void remove(std::string_view name) const;

 private:
  void open();
  void lock();

  std::string path_;
  UniqueFd folder_;
  UniqueFd lock_;
};

// The same file of a folder that a running server has locked.
std::optional<std::string> read_state(const std::string& folder,
                                      std::string_view name);

}  // namespace wick

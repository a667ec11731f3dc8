// SPDX-License-Identifier: Apache-2.0
// Which source files may be put into a page.
//
// A profile names files, and who made it chose the names:
// "/home/me/.ssh/id_rsa" looks like any other. A page is made to be sent on. So
// only files within directories that the user named are read, and within the
// current one, where people build and profile. Links and ".." are resolved
// before that is judged. Files and directories whose names begin with a dot
// hold keys, passwords and history, not source; they are read only if the
// directory named is among them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace wick {

class SourceRoots {
 public:
  // Fails (wick::Error) if one is not a directory. The current directory is
  // added, unless that is "/".
  explicit SourceRoots(const std::vector<std::string>& given);

  struct Answer {
    std::optional<std::string> text;
    bool is_outside = false;  // the file exists, but in none of the directories
  };
  // Relative names are looked for in the current directory, then in those
  // given. No text if there is no such file or it has more than `max_size`
  // bytes.
  Answer read(const std::string& name, std::uint64_t max_size) const;

 private:
  std::optional<std::string> place_of(const std::string& real_path) const;

  std::vector<std::string> roots_;  // without links, without "/" at the end
};

}  // namespace wick

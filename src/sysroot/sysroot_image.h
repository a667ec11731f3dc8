// SPDX-License-Identifier: Apache-2.0
// The root file system of a traced machine in one file: an image of ext2, ext3
// or ext4, also with a partition table, or an initramfs. wick reads it without
// mounting it. Only its programs, libraries and symbolic links are known.
//
// A path of a file in it is written as if the image were a directory:
// "/home/me/br-base.img/usr/bin/ls".
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "io/file_pieces.h"
#include "io/open_regular.h"
#include "profile/diagnostics.h"
#include "profile/format.h"
#include "sysroot/file_list.h"

namespace wick {

class SysrootImage {
 public:
  // Fails if `path` is not such a file or has no programs. What is damaged is
  // noted. To be called before there are threads: it makes a process.
  static std::shared_ptr<const SysrootImage> open(const std::string& path,
                                                  const OpenRules& rules);

  // `files` are parts of `around`, which has `size_around` bytes. For tests.
  SysrootImage(std::string path, FileList files, UniqueFd around,
               std::uint64_t size_around);

  const std::string& path() const { return path_; }  // absolute
  const Diagnostics& diagnostics() const { return diagnostics_; }

  // One path of each file, "/usr/bin/ls", sorted.
  std::vector<std::string> files() const;
  // Follows links; they do not lead out. Null if there is no such program.
  std::shared_ptr<const FilePieces> find(std::string_view path) const;
  // "/usr/bin/ls" for such a path behind that of the image; nothing for others.
  std::optional<std::string_view> inside(std::string_view path) const;

 private:
  void add_files(FileList& list, std::uint64_t size_around);

  std::string path_;
  std::shared_ptr<const UniqueFd> around_;
  std::vector<std::shared_ptr<const FilePieces>> pieces_;
  absl::flat_hash_map<std::string, std::uint32_t> files_;  // in pieces_
  absl::flat_hash_map<std::string, std::string> links_;
  Diagnostics diagnostics_;
};

// A directory or an image; fails if `path` is neither.
Sysroot open_sysroot(const std::string& path, const OpenRules& rules = {});

}  // namespace wick

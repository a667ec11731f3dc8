// SPDX-License-Identifier: Apache-2.0
// The programs and libraries of a disk image or an archive: where their bytes
// are, and what they are called there. A confined process makes the list (see
// io/confined_child.h), and wick checks it as it checks any file.
//
// Names are labels. They are compared with each other and never opened.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/file_pieces.h"

namespace wick {

// Limits on what is taken from one image; the rest is reported.
struct FileListLimits {
  std::size_t files = 50'000;  // a distribution has some 10,000 with code
  std::size_t entries = 2'000'000;
  std::uint64_t file_size = std::uint64_t{2} << 30;
  // What all of them store together.
  std::uint64_t total = std::uint64_t{4} << 30;
};

struct FileList {
  struct File {
    std::uint64_t size = 0;
    std::vector<FilePiece> pieces;
  };
  struct Name {
    std::string path;  // absolute, without "." and ".."
    std::uint32_t file = 0;
  };
  struct Link {
    std::string path, target;
  };
  std::vector<File> files;
  std::vector<Name> names;
  std::vector<Link> links;
  std::vector<std::string> unreadable;  // what could not be read
  std::vector<std::string> left_out;    // what exceeds a limit
  // The image cannot be read at all, or not beyond what is listed.
  std::string error;
  bool is_complete = false;
};

// Writes a list piece by piece, so that what was found survives the process
// that finds it.
class FileListWriter {
 public:
  explicit FileListWriter(std::function<void(std::string_view)> send,
                          FileListLimits limits = {})
      : limits_(limits), send_(std::move(send)) {}

  const FileListLimits& limits() const { return limits_; }
  std::size_t file_count() const { return file_count_; }
  // Returns the file's number.
  std::uint32_t add(const FileList::File& file);
  void add(const FileList::Name& name);
  void add(const FileList::Link& link);
  void add_unreadable(std::string_view what);
  void add_left_out(std::string_view what);
  void add_error(std::string_view message);
  // Everything was looked at.
  void finish();

 private:
  void put_text(std::string_view text);
  void flush_if_full();

  FileListLimits limits_;
  std::function<void(std::string_view)> send_;
  std::string buffer_;
  std::uint32_t file_count_ = 0;
};

// Keeps everything up to the first damage; such a list is not complete.
FileList read_file_list(std::string_view bytes);

// "/usr/bin/ls" for "./usr/bin/ls" or "usr//bin/ls"; "" for a name that leads
// up, is empty or too long.
std::string path_in_image(std::string_view name);

}  // namespace wick

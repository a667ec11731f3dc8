// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace wick {

// A file that exists whole or not at all: written beside its final name and
// renamed by commit(). Without commit() nothing stays behind. Names that are
// not regular files (/dev/null, a FIFO) are written directly.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  std::ostream& stream() { return *stream_; }
  void commit();

 private:
  std::string path_, temporary_;
  std::unique_ptr<std::ostream> stream_;
};

// Whether `path` must be written through, since putting another file in its
// place would lose what it stands for: a device, a FIFO, and the names of open
// files (/dev/stdout, /dev/fd/3), which may well be regular ones.
bool is_special_file(const std::string& path);

// Standard output, with an Error if a write failed (full disk, closed pipe).
void finish_standard_output(std::ostream& out);

}  // namespace wick

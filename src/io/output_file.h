// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace wick {

// A file that appears complete or not at all: written under a temporary name
// and renamed by commit(). Without commit(), nothing is left behind. Special
// files
// (/dev/null, a FIFO) are written directly.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  std::ostream& stream() { return *stream_; }
  void commit();

 private:
  std::string path_, temporary_;
  std::unique_ptr<std::ostream> stream_;
};

// Whether `path` must be written directly because renaming a file over it would
// replace something else: a device, a FIFO, or the name of an open file
// (/dev/stdout, /dev/fd/3), even if that is a regular one.
bool is_special_file(const std::string& path);

// Flushes standard output; an Error if a write failed (full disk, closed pipe).
void finish_standard_output(std::ostream& out);

}  // namespace wick

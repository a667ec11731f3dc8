// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "base/terminal_text.h"
#include "io/output_name.h"
#include "io/output_place.h"
#include "io/unique_fd.h"

namespace wick {

// A file that appears complete or not at all: written under a temporary name
// and renamed by commit(). Without commit(), nothing is left behind. Special
// files (/dev/null, a FIFO) are written directly. Which links it goes through
// and what it replaces is explained in io/output_place.h.
class OutputFile {
 public:
  explicit OutputFile(const OutputName& name, mode_t mode = 0666);
  // In a directory that is open; `name` is wick's choice.
  OutputFile(UniqueFd folder, const std::string& name);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  std::ostream& stream() { return *stream_; }
  void commit();

 private:
  class Buffer;

  std::string path_;  // for messages
  std::optional<OutputPlace> place_;
  std::optional<NewFile> file_;
  UniqueFd special_;
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<TerminalBuffer> terminal_;  // before it, for /dev/tty
  std::unique_ptr<std::ostream> stream_;
};

// Flushes standard output; an Error if a write failed (full disk, closed pipe).
void finish_standard_output(std::ostream& out);

}  // namespace wick

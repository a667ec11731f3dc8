// SPDX-License-Identifier: Apache-2.0
#include "io/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <streambuf>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace wick {

// Writes to a descriptor that it does not own.
class OutputFile::Buffer : public std::streambuf {
 public:
  explicit Buffer(int fd) : fd_(fd), bytes_(kSize) { clear(); }

  int error() const { return error_; }  // the first one, as in errno

 protected:
  int_type overflow(int_type c) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(c, traits_type::eof()))
      sputc(traits_type::to_char_type(c));
    return traits_type::not_eof(c);
  }

  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::string_view part(text, static_cast<std::size_t>(size));
    if (epptr() - pptr() >= size) {
      part.copy(pptr(), part.size());
      pbump(static_cast<int>(size));
      return size;
    }
    return sync() == 0 && write_all(part) ? size : 0;
  }

  int sync() override {
    const bool written =
        write_all({pbase(), static_cast<std::size_t>(pptr() - pbase())});
    clear();
    return written ? 0 : -1;
  }

 private:
  static constexpr std::size_t kSize = 1 << 16;

  void clear() { setp(bytes_.data(), bytes_.data() + bytes_.size()); }

  bool write_all(std::string_view part) {
    while (!part.empty() && error_ == 0) {
      const ssize_t written = ::write(fd_, part.data(), part.size());
      if (written < 0 && errno != EINTR) error_ = errno;
      if (written > 0) part.remove_prefix(static_cast<std::size_t>(written));
    }
    return error_ == 0;
  }

  int fd_;
  int error_ = 0;
  std::vector<char> bytes_;
};

OutputFile::OutputFile(const OutputName& name, mode_t mode)
    : path_(name.text()) {
  in_context(path_, [&] {
    place_.emplace(name);
    if (place_->is_special())
      special_ = place_->open_special(O_WRONLY | O_TRUNC);
    else
      file_.emplace(*place_, mode);
  });
  buffer_ = std::make_unique<Buffer>(file_ ? file_->fd() : special_.get());
  if (special_ && ::isatty(special_.get()) != 0)
    terminal_ = std::make_unique<TerminalBuffer>(*buffer_);
  stream_ = terminal_ ? std::make_unique<std::ostream>(terminal_.get())
                      : std::make_unique<std::ostream>(buffer_.get());
}

OutputFile::OutputFile(UniqueFd folder, const std::string& name) : path_(name) {
  in_context(path_, [&] {
    place_.emplace(std::move(folder), name);
    file_.emplace(*place_, 0666);
  });
  buffer_ = std::make_unique<Buffer>(file_->fd());
  stream_ = std::make_unique<std::ostream>(buffer_.get());
}

OutputFile::~OutputFile() = default;

void OutputFile::commit() {
  in_context(path_, [&] {
    stream_->flush();
    if (!*stream_) {
      errno = buffer_->error();
      fail("cannot write: {}", last_system_error());
    }
    if (file_) {
      file_->put_in_place();
      file_->take_fd().reset();
    }
    special_.reset();  // the end for who reads a FIFO
  });
}

void finish_standard_output(std::ostream& out) {
  out.flush();
  if (!out) fail("standard output: cannot write: {}", last_system_error());
}

}  // namespace wick

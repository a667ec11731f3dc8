// SPDX-License-Identifier: Apache-2.0
// Where profiles come from: a file, standard input or memory; plain, or gzip,
// zstd or xz, which are decompressed transparently.
//
// There are three ways to read the content. bytes() returns all of it at once:
// the mapping of a large plain file, or a buffer. next_block() returns pieces
// that end at a line end, so that a text of any size, even from a pipe, needs
// bounded memory. peek() and skip() do the same for binary formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "io/unique_fd.h"

namespace wick {

class InputFile {
 public:
  // A file that the user named: it may be a pipe or a device. "-" is standard
  // input.
  static InputFile open(const std::string& path);
  // A file that was found in a directory that the user named; see
  // io/open_regular.h.
  static InputFile open_regular(const std::string& path,
                                bool follow_link = true);
  // Reads an open pipe; `name` is for messages.
  static InputFile from_fd(UniqueFd fd, std::string name);
  static InputFile from_memory(std::string name, std::string content);

  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  const std::string& name() const;

  // The size of the content if it is known beforehand, else 0.
  std::size_t size_hint() const;

  // How many bytes were read so far, before decompression.
  std::uint64_t stored_bytes() const;

  // The first bytes of the content, at most kHeadSize; does not consume them.
  std::string_view head();
  static constexpr std::size_t kHeadSize = std::size_t{64} << 10;

  // The whole content; valid as long as this object.
  std::string_view bytes();

  // The next piece of the content, about `size` bytes, cut after a line end
  // (or, with `paragraphs`, after a blank line if there is one near); empty at
  // the end. Valid until the next call.
  std::string_view next_block(std::size_t size, bool paragraphs = false);

  // The next `size` bytes or all that are left; skip() consumes them. Binary
  // formats are read in bounded memory by these: peek, decode whole records,
  // skip those. Valid until the next call.
  std::string_view peek(std::size_t size);
  // `size` is at most the size of what peek() returned.
  void skip(std::size_t size);

  // The compressed stream is truncated or damaged; everything before that was
  // returned. Known once everything was read.
  bool damaged() const;
  // The beginning of the incomplete line (or paragraph) before the damage,
  // which next_block() does not return; "" if there is none.
  const std::string& broken_end() const;

  // Fails if the file became shorter, or its disk failed, while it was read:
  // from there on, bytes were zeros. To be called once a large file was read;
  // a small one is copied as it is opened.
  void check_whole() const;

  // How many lines longer than kMaxLine next_block() skipped, and the beginning
  // of the first.
  std::uint64_t long_lines() const;
  const std::string& long_line() const;

  // The most that bytes() holds of a compressed or piped input.
  static constexpr std::size_t kMaxBuffered = std::size_t{2} << 30;
  // The longest line that next_block() surely returns of a compressed or piped
  // input: 16,384 frames of 1,000 bytes.
  static constexpr std::size_t kMaxLine = std::size_t{16} << 20;

 private:
  struct State;
  explicit InputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wick

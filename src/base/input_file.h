// SPDX-License-Identifier: Apache-2.0
// Where profiles come from: a file, standard input, or memory; plain, gzip or
// zstd, which are read through.
//
// A reader takes the content in one of three ways. bytes() gives all of it at
// once: the mapping of a plain file, or a buffer. next_block() gives it piece
// by piece, each ending at a line end, so that a text of any size is read in
// bounded memory, from a pipe as well. peek() and skip() do the same for
// records of binary formats.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace wick {

class InputFile {
 public:
  // "-" is standard input.
  static InputFile open(const std::string& path);
  // Reads an open pipe, under `name` in messages.
  static InputFile from_fd(UniqueFd fd, std::string name);
  static InputFile from_memory(std::string name, std::string content);

  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  const std::string& name() const;

  // The size of the content where it is known beforehand, else 0.
  std::size_t size_hint() const;

  // The first bytes of the content, 64 KiB if there are as many; does not
  // consume them.
  std::string_view head();

  // The whole content; lives as long as this object.
  std::string_view bytes();

  // The next piece of the content, about `size` bytes, cut behind a line end
  // (or, with `paragraphs`, behind a blank line where there is one in reach);
  // empty at the end. Lives until the next call.
  std::string_view next_block(std::size_t size, bool paragraphs = false);

  // The bytes that come next, `size` of them or all that are left; they are
  // given again until skip() takes them. For binary formats, which are read in
  // bounded memory like this: look, decode whole records, skip those. Lives
  // until the next call.
  std::string_view peek(std::size_t size);
  // `size` is at most what peek() gave.
  void skip(std::size_t size);

  // The compressed stream broke off or was damaged; what came before it was
  // given out. Known once everything was read.
  bool damaged() const;
  // The beginning of the last line (or paragraph) before that place, which
  // next_block() does not give out; "" if there is none.
  const std::string& broken_end() const;

  // Bytes that may be read at most when all of a compressed or piped input is
  // wanted at once.
  static constexpr std::size_t kMaxBuffered = std::size_t{2} << 30;
  // A text without line ends is not a text.
  static constexpr std::size_t kMaxLine = std::size_t{64} << 20;

 private:
  struct State;
  explicit InputFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wick

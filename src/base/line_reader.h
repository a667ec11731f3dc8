// SPDX-License-Identifier: Apache-2.0
// The lines of an input, one after the other, in bounded memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/input_file.h"
#include "base/text.h"

namespace wick {

class LineReader {
 public:
  explicit LineReader(InputFile& file) : file_(file) {}

  // The next line, without its "\n" or "\r\n"; nothing at the end of the input.
  // Lives until the next call.
  std::optional<std::string_view> next() {
    if (block_.empty()) block_ = file_.next_block(4 << 20);
    if (block_.empty()) return {};
    ++number_;
    return take_line(block_);
  }

  // The number of the line that next() gave last, counted from 1.
  std::uint64_t number() const { return number_; }

 private:
  InputFile& file_;
  std::string_view block_;
  std::uint64_t number_ = 0;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The lines of an input, one at a time, in bounded memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "io/input_file.h"

namespace wick {

class LineReader {
 public:
  explicit LineReader(InputFile& file) : file_(file) {}

  // The next line, without its "\n" or "\r\n"; nothing at the end of the
  // input. Valid until the next call.
  std::optional<std::string_view> next() {
    if (block_.empty()) block_ = file_.next_block(4 << 20);
    if (block_.empty()) return {};
    ++number_;
    return take_line(block_);
  }

  // The number of the line that next() returned last, counted from 1.
  std::uint64_t number() const { return number_; }

 private:
  InputFile& file_;
  std::string_view block_;
  std::uint64_t number_ = 0;
};

// Calls visit(line, number) for each line of `file`, counted from 1.
template <class Visit>
void for_each_line(InputFile& file, Visit visit) {
  LineReader lines(file);
  while (const auto line = lines.next()) visit(*line, lines.number());
}

// Whether test(line) is true for one of the first `count` lines of `head`, the
// beginning of an input. Leaves out a last line that may be cut off.
template <class Test>
bool any_head_line(std::string_view head, int count, Test test) {
  const bool may_be_cut = head.size() >= InputFile::kHeadSize;
  while (!head.empty() && count-- > 0) {
    const std::string_view line = take_line(head);
    if (may_be_cut && head.empty()) return false;
    if (test(line)) return true;
  }
  return false;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The frames of one module's addresses, with names as users see them.
//
// A crafted module has a long name or thousands of inlined calls for every
// address, at a few bytes each: what is kept of them is bounded.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.h"

namespace wick {

struct ResolvedFrame {
  std::uint32_t function = 0, file = 0;  // in Resolved::texts
  std::uint32_t line = 0;
  bool inlined = false;
  friend bool operator==(const ResolvedFrame&, const ResolvedFrame&) = default;
};

class Resolved {
 public:
  Resolved() { texts_.emplace_back(); }

  // More inlined calls than any compiler nests.
  static constexpr std::size_t kMaxFrames = 512;
  // Of one text; and of one after this much text.
  static constexpr std::size_t kMaxText = std::size_t{1} << 16;
  static constexpr std::size_t kMuchText = std::size_t{32} << 20;
  static constexpr std::size_t kMaxTextAfterMuch = 512;

  // The frames of an address, outermost first; the first kMaxFrames are kept.
  // An address that is there already keeps its frames.
  // Without frames, the address is in a function without a name, which begins
  // at `function_start`; 0: unknown.
  void add(std::uint64_t elf_addr, std::span<const ResolvedFrame> frames,
           std::uint64_t function_start = 0);
  std::uint32_t text(std::string_view text) {
    if (text.empty()) return 0;
    const std::size_t most =
        text_bytes_ < kMuchText ? kMaxText : kMaxTextAfterMuch;
    const bool is_cut = text.size() > most;
    if (is_cut) text = text.substr(0, most);
    return 1 + text_index_.find_or_add(
                   hash_bytes(text),
                   [&](std::uint32_t i) { return texts_[i + 1] == text; },
                   [&] {
                     texts_.emplace_back(text);
                     text_bytes_ += text.size();
                     cut_texts_ += is_cut;
                     return static_cast<std::uint32_t>(texts_.size() - 2);
                   });
  }
  // Lives as long as this object.
  std::string_view operator[](std::uint32_t text) const { return texts_[text]; }

  struct Row {
    std::uint64_t elf_addr;
    std::uint32_t first, count;
    std::uint64_t function_start = 0;  // of a function without a name
  };
  // In the order in which they were added.
  std::span<const Row> rows() const { return rows_; }
  // Null if the address was not added.
  const Row* find(std::uint64_t elf_addr) const;
  std::span<const ResolvedFrame> frames(const Row& row) const {
    return std::span(frames_).subspan(row.first, row.count);
  }
  const std::deque<std::string>& texts() const { return texts_; }
  // How many of them were longer, and rows that had more frames.
  std::uint64_t cut_texts() const { return cut_texts_; }
  std::uint64_t cut_rows() const { return cut_rows_; }

 private:
  std::vector<Row> rows_;
  std::vector<ResolvedFrame> frames_;
  std::deque<std::string> texts_;  // row 0: ""
  HashIndex row_index_, text_index_;
  std::size_t text_bytes_ = 0;
  std::uint64_t cut_texts_ = 0, cut_rows_ = 0;
};

}  // namespace wick

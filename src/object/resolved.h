// SPDX-License-Identifier: Apache-2.0
// The frames of one module's addresses, with names as users see them.
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

  // The frames of an address, outermost first. An address that is there
  // already keeps its frames.
  void add(std::uint64_t elf_addr, std::span<const ResolvedFrame> frames);
  std::uint32_t text(std::string_view text) {
    if (text.empty()) return 0;
    return 1 + text_index_.find_or_add(
                   hash_bytes(text),
                   [&](std::uint32_t i) { return texts_[i + 1] == text; },
                   [&] {
                     texts_.emplace_back(text);
                     return static_cast<std::uint32_t>(texts_.size() - 2);
                   });
  }
  // Lives as long as this object.
  std::string_view operator[](std::uint32_t text) const { return texts_[text]; }

  struct Row {
    std::uint64_t elf_addr;
    std::uint32_t first, count;
  };
  // In the order in which they were added.
  std::span<const Row> rows() const { return rows_; }
  // Null if the address was not added.
  const Row* find(std::uint64_t elf_addr) const;
  std::span<const ResolvedFrame> frames(const Row& row) const {
    return std::span(frames_).subspan(row.first, row.count);
  }
  const std::deque<std::string>& texts() const { return texts_; }

 private:
  std::vector<Row> rows_;
  std::vector<ResolvedFrame> frames_;
  std::deque<std::string> texts_;  // row 0: ""
  HashIndex row_index_, text_index_;
};

}  // namespace wick

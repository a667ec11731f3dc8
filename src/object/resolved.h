// SPDX-License-Identifier: Apache-2.0
// The frames of the addresses of one module, with their names as they are
// shown.
#pragma once

#include <cstdint>
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

  // The frames of an address, outermost first. Each address once.
  void add(std::uint64_t elf_addr, std::span<const ResolvedFrame> frames) {
    rows_.push_back({elf_addr, static_cast<std::uint32_t>(frames_.size()),
                     static_cast<std::uint32_t>(frames.size())});
    frames_.insert(frames_.end(), frames.begin(), frames.end());
  }
  std::uint32_t text(std::string_view text) {
    if (text.empty()) return 0;
    return 1 + index_.find_or_add(
                   hash_bytes(text),
                   [&](std::uint32_t i) { return texts_[i + 1] == text; },
                   [&] {
                     texts_.emplace_back(text);
                     return static_cast<std::uint32_t>(texts_.size() - 2);
                   });
  }
  std::string_view operator[](std::uint32_t text) const { return texts_[text]; }

  struct Row {
    std::uint64_t elf_addr;
    std::uint32_t first, count;
  };
  // By address, once sort() was called.
  std::span<const Row> rows() const { return rows_; }
  std::span<const ResolvedFrame> frames(const Row& row) const {
    return std::span(frames_).subspan(row.first, row.count);
  }
  const std::vector<std::string>& texts() const { return texts_; }
  const Row* find(std::uint64_t elf_addr) const;
  void sort();

 private:
  std::vector<Row> rows_;
  std::vector<ResolvedFrame> frames_;
  std::vector<std::string> texts_;  // row 0: ""
  HashIndex index_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What was made of a text, found again when the same text comes: a stack, for
// the forty lines it is printed as. Only a hash of 128 bits is kept, made with
// secrets that are drawn anew in every process. Two of a billion texts are
// taken for each other with a probability below 10^-20, and no input can be
// prepared for it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash_index.h"

namespace wick {

struct TextHash {
  std::uint64_t a = 0, b = 0;
  friend bool operator==(const TextHash&, const TextHash&) = default;
};
TextHash hash_text(std::string_view text);

// The end of the paragraph at the front of `text`: the offset behind its last
// line, where an empty line begins; npos if no empty line follows.
std::size_t paragraph_end(std::string_view text);

template <class T>
class TextCache {
 public:
  // Lives until the next add().
  const T* find(const TextHash& hash) const {
    const std::uint32_t row = index_.find(
        hash.a, [&](std::uint32_t i) { return rows_[i].hash == hash; });
    return row == HashIndex::kNone ? nullptr : &rows_[row].value;
  }

  // Forgets everything when full: what is frequent is soon there again.
  void add(const TextHash& hash, T value) {
    if (rows_.size() >= kMaxRows) {
      rows_.clear();
      index_.clear();
    }
    index_.find_or_add(
        hash.a, [&](std::uint32_t i) { return rows_[i].hash == hash; },
        [&] {
          rows_.push_back({hash, std::move(value)});
          return static_cast<std::uint32_t>(rows_.size() - 1);
        });
  }

 private:
  static constexpr std::size_t kMaxRows = 1 << 18;
  struct Row {
    TextHash hash;
    T value;
  };
  std::vector<Row> rows_;
  HashIndex index_;
};

}  // namespace wick

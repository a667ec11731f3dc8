// SPDX-License-Identifier: Apache-2.0
// Caches what a text was parsed into, such as the stack printed as forty lines.
// The key is a 128-bit hash with random secrets per process. The probability
// that any two of a billion texts collide is below 10^-20, and nobody can
// prepare an input that collides.
#pragma once

#include <algorithm>
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

// The end of the first paragraph of `text`: the offset after its last line,
// where an empty line begins; npos if no empty line follows.
std::size_t paragraph_end(std::string_view text);

template <class T>
class TextCache {
 public:
  // Valid until the next add().
  const T* find(const TextHash& hash) const {
    const std::uint32_t row = index_.find(
        hash.a, [&](std::uint32_t i) { return rows_[i].hash == hash; });
    return row == HashIndex::kNone ? nullptr : &rows_[row].value;
  }

  // Forgets everything when full: frequent texts soon return.
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

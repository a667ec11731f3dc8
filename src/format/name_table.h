// SPDX-License-Identifier: Apache-2.0
// The names of folded stacks, each distinct one once. Splitting stacks into
// names is the dearest part of reading folded text. What costs is not the bytes
// but the branches that depend on their number and the cache misses, so names
// of up to 64 bytes are hashed and compared as words that overlap, four at a
// time, and the table leads to a name in two steps: slot, record.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash_index.h"

namespace wick {

class NameTable {
 public:
  // Takes the name at the front of `text`, up to the next `;` (which is taken
  // too) or to the end, and returns its number. Numbers count from 0.
  std::uint32_t take(std::string_view& text);

  // Lives until the next take().
  std::string_view operator[](std::uint32_t name) const;
  std::size_t size() const { return offsets_.size(); }

 private:
  std::uint32_t intern(std::string_view name);
  template <class Equal>
  std::uint32_t find_or_add(std::uint64_t hash, std::string_view name,
                            Equal equal);
  std::uint32_t add(std::string_view name);

  // Records of a header (the size in its low half, the number in its high one)
  // and the bytes, padded to whole words.
  std::vector<std::uint64_t> records_;
  std::vector<std::uint32_t> offsets_;  // of each name in records_
  HashIndex index_;                     // of offsets
};

}  // namespace wick

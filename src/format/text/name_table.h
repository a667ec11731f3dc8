// SPDX-License-Identifier: Apache-2.0
// The names of folded stacks, each distinct one once. Splitting stacks into
// names is the dearest part of reading folded text. What costs is not the bytes
// but the branches that depend on their number and the cache misses. So names
// of up to 64 bytes are hashed and compared as words that overlap, four at a
// time; the table leads to a name in two steps, slot and record; and all names
// of a stack are hashed before the first is looked for, so that their slots are
// there when they are wanted.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash_index.h"

namespace wick {

class NameTable {
 public:
  struct Found {
    std::uint32_t name;  // its number; they count from 0
    std::uint32_t end;   // where it ends in the text
  };
  // Appends the names in `text`, which stand between semicolons; "" is one
  // empty name.
  void split(std::string_view text, std::vector<Found>& out);

  // Lives until the next split().
  std::string_view operator[](std::uint32_t name) const;
  std::size_t size() const { return offsets_.size(); }

 private:
  struct Piece {
    std::string_view name;
    std::uint64_t hash;
  };
  std::uint32_t intern(const Piece& piece);
  std::uint32_t add(std::string_view name);

  // Records of a header (the size in its low half, the number in its high one)
  // and the bytes, padded to whole words.
  std::vector<std::uint64_t> records_;
  std::vector<std::uint32_t> offsets_;  // of each name in records_
  HashIndex index_;                     // of offsets
  std::vector<Piece> pieces_;           // of the text that is split
};

}  // namespace wick

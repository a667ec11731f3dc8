// SPDX-License-Identifier: Apache-2.0
// The distinct names of folded stacks. Splitting stacks into names is the most
// expensive part of reading folded text, because of cache misses and of
// branches that depend on the length of names. So names of up to 64 bytes are
// hashed and compared as overlapping words, four at a time; a lookup takes two
// steps, slot and record; and all names of a stack are hashed before the first
// lookup, so that their slots are prefetched.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash_index.h"

namespace wick {

class NameTable {
 public:
  struct Found {
    std::uint32_t name;  // its number, from 0
    std::uint32_t end;   // where it ends in the text
  };
  // Appends the names in `text`, separated by semicolons, or the first `most`;
  // "" is one empty name.
  void split(std::string_view text, std::vector<Found>& out,
             std::size_t most = SIZE_MAX);

  // Valid until the next split().
  std::string_view operator[](std::uint32_t name) const;
  std::size_t size() const { return offsets_.size(); }

 private:
  struct Piece {
    std::string_view name;
    std::uint64_t hash;
  };
  std::uint32_t intern(const Piece& piece);
  std::uint32_t add(std::string_view name);

  // Each record is a header (the size in its low half, the number in its high
  // half) and the bytes, padded to whole words.
  std::vector<std::uint64_t> records_;
  std::vector<std::uint32_t> offsets_;  // of each name in records_
  HashIndex index_;                     // of offsets
  std::vector<Piece> pieces_;           // of the text being split
};

}  // namespace wick

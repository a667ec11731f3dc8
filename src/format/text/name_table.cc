// SPDX-License-Identifier: Apache-2.0
#include "format/text/name_table.h"

#include <cstring>

#include "base/error.h"

namespace wick {
namespace {

using hash_detail::kA;
using hash_detail::kB;
using hash_detail::kSeed;
using hash_detail::load32;
using hash_detail::load64;
using hash_detail::mix;

// All bytes of a name of up to 32 bytes. Which words they are depends on the
// size alone, so two names of one size are equal if their words are.
struct Words {
  std::uint64_t a, b, c, d;
  // One branch for all four.
  friend bool operator==(const Words& x, const Words& y) {
    return ((x.a ^ y.a) | (x.b ^ y.b) | (x.c ^ y.c) | (x.d ^ y.d)) == 0;
  }
};

Words words_of(const char* p, std::size_t size) {
  if (size > 16)
    return {load64(p), load64(p + 8), load64(p + size - 16),
            load64(p + size - 8)};
  if (size >= 8) return {load64(p), load64(p + size - 8), 0, 0};
  if (size >= 4) return {load32(p), load32(p + size - 4), 0, 0};
  std::uint64_t word = 0;
  std::memcpy(&word, p, size);
  return {word, 0, 0, 0};
}

std::uint64_t hash_words(const Words& w, std::size_t size) {
  return mix(mix(w.a ^ kSeed, w.b ^ kB) ^ size,
             mix(w.c ^ kA, w.d ^ kSeed) ^ kB);
}

std::uint64_t hash_name(std::string_view name) {
  const char* p = name.data();
  const std::size_t size = name.size();
  if (size <= 32) return hash_words(words_of(p, size), size);
  if (size > 64) return hash_bytes(name);
  return hash_words(words_of(p, 32), size) ^
         hash_words(words_of(p + size - 32, 32), size - 32);
}

// Of names of the same size.
bool equal_names(const char* p, const char* q, std::size_t size) {
  if (size <= 32) return words_of(p, size) == words_of(q, size);
  if (size > 64) return std::memcmp(p, q, size) == 0;
  return words_of(p, 32) == words_of(q, 32) &&
         words_of(p + size - 32, 32) == words_of(q + size - 32, 32);
}

}  // namespace

std::string_view NameTable::operator[](std::uint32_t name) const {
  const std::uint64_t* record = records_.data() + offsets_[name];
  return {reinterpret_cast<const char*>(record + 1),
          static_cast<std::uint32_t>(*record)};
}

std::uint32_t NameTable::add(std::string_view name) {
  const std::size_t offset = records_.size();
  const std::size_t words = (name.size() + 7) / 8;
  // Far beyond any real number of names: 32 GB of them.
  if (offset + words >= HashIndex::kNone) fail("too many distinct names");
  records_.resize(offset + 1 + words);
  records_[offset] = name.size() | static_cast<std::uint64_t>(size()) << 32;
  std::memcpy(records_.data() + offset + 1, name.data(), name.size());
  offsets_.push_back(static_cast<std::uint32_t>(offset));
  return static_cast<std::uint32_t>(offset);
}

std::uint32_t NameTable::intern(const Piece& piece) {
  const std::string_view name = piece.name;
  const std::uint32_t offset = index_.find_or_add(
      piece.hash,
      [&](std::uint32_t at) {
        const std::uint64_t* record = records_.data() + at;
        return static_cast<std::uint32_t>(*record) == name.size() &&
               equal_names(reinterpret_cast<const char*>(record + 1),
                           name.data(), name.size());
      },
      [&] { return add(name); });
  return static_cast<std::uint32_t>(records_[offset] >> 32);
}

void NameTable::split(std::string_view text, std::vector<Found>& out,
                      std::size_t most) {
  pieces_.clear();
  const char* const begin = text.data();
  for (bool more = true; more && pieces_.size() < most;) {
    const std::size_t end = text.find(';');
    const std::string_view name = text.substr(0, end);
    more = end != text.npos;
    text.remove_prefix(more ? end + 1 : text.size());
    pieces_.push_back({name, hash_name(name)});
    index_.prefetch(pieces_.back().hash);
  }
  for (const Piece& piece : pieces_)
    out.push_back(
        {intern(piece), static_cast<std::uint32_t>(piece.name.data() +
                                                   piece.name.size() - begin)});
}

}  // namespace wick

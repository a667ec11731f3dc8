// SPDX-License-Identifier: Apache-2.0
#include "format/name_table.h"

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

std::uint64_t hash_of(const Words& w, std::size_t size) {
  return mix(mix(w.a ^ kSeed, w.b ^ kB) ^ size,
             mix(w.c ^ kA, w.d ^ kSeed) ^ kB);
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

template <class Equal>
std::uint32_t NameTable::find_or_add(std::uint64_t hash, std::string_view name,
                                     Equal equal) {
  const std::uint32_t offset = index_.find_or_add(
      hash,
      [&](std::uint32_t at) {
        const std::uint64_t* record = records_.data() + at;
        return static_cast<std::uint32_t>(*record) == name.size() &&
               equal(reinterpret_cast<const char*>(record + 1));
      },
      [&] { return add(name); });
  return static_cast<std::uint32_t>(records_[offset] >> 32);
}

std::uint32_t NameTable::intern(std::string_view name) {
  if (name.size() <= 32) {
    const Words words = words_of(name.data(), name.size());
    return find_or_add(hash_of(words, name.size()), name, [&](const char* p) {
      return words_of(p, name.size()) == words;
    });
  }
  if (name.size() <= 64) {
    const std::size_t rest = name.size() - 32;
    const Words first = words_of(name.data(), 32);
    const Words last = words_of(name.data() + rest, 32);
    const std::uint64_t hash =
        hash_of(first, name.size()) ^ hash_of(last, rest);
    return find_or_add(hash, name, [&](const char* p) {
      return words_of(p, 32) == first && words_of(p + rest, 32) == last;
    });
  }
  return find_or_add(hash_bytes(name), name, [&](const char* p) {
    return std::memcmp(p, name.data(), name.size()) == 0;
  });
}

std::uint32_t NameTable::take(std::string_view& text) {
  const std::size_t end = text.find(';');
  const std::string_view name = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return intern(name);
}

}  // namespace wick

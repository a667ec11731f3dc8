// SPDX-License-Identifier: Apache-2.0
#include "format/name_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wick {
namespace {

using hash_detail::kA;
using hash_detail::load64;
using hash_detail::mix;

static_assert(std::endian::native == std::endian::little,
              "the first byte of a word is its lowest");

// The high bit of the first byte that is `;`, and perhaps of later ones.
std::uint64_t semicolons(std::uint64_t word) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  const std::uint64_t x = word ^ (kOnes * ';');
  return (x - kOnes) & ~x & (kOnes * 0x80);
}

std::uint64_t first_bytes(std::uint64_t word, int count) {
  return count == 8 ? word : word & ((std::uint64_t{1} << (8 * count)) - 1);
}

std::uint64_t load_part(const char* p, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, count);
  return word;
}

}  // namespace

bool NameTable::equal(const Row& row, std::string_view name) const {
  if (row.size != name.size()) return false;
  const char* p = name.data();
  const std::uint64_t* words = row.words;
  std::size_t left = name.size();
  for (; left >= 8; left -= 8, p += 8)
    if (load64(p) != *words++) return false;
  return left == 0 || load_part(p, left) == *words;
}

const std::uint64_t* NameTable::keep(std::string_view name) {
  constexpr std::size_t kChunk = 8 << 10;
  const std::size_t words = name.size() / 8 + 1;
  if (words > room_) {
    room_ = std::max(words, kChunk);
    chunks_.push_back(std::make_unique<std::uint64_t[]>(room_));
    free_ = chunks_.back().get();
  }
  std::memcpy(free_, name.data(), name.size());
  const std::uint64_t* kept = free_;
  free_ += words;
  room_ -= words;
  return kept;
}

std::uint32_t NameTable::take(std::string_view& text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  std::uint64_t hash = hash_detail::kSeed;
  bool found = false;
  while (!found && p < end) {
    const std::size_t here = std::min<std::size_t>(8, end - p);
    std::uint64_t word = here == 8 ? load64(p) : load_part(p, here);
    auto count = static_cast<int>(here);
    if (const std::uint64_t marks = semicolons(word); marks != 0) {
      count = std::countr_zero(marks) / 8;
      word = first_bytes(word, count);
      found = true;
    }
    hash = mix(hash ^ word, kA);
    p += count;
  }
  const std::string_view name(text.data(),
                              static_cast<std::size_t>(p - text.data()));
  text.remove_prefix(name.size() + (found ? 1 : 0));
  return index_.find_or_add(
      mix(hash, kA ^ name.size()),
      [&](std::uint32_t row) { return equal(rows_[row], name); },
      [&] {
        rows_.push_back({keep(name), name.size()});
        return static_cast<std::uint32_t>(rows_.size() - 1);
      });
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Interning without storing anything twice: a hash table of row numbers whose
// rows live in the columns of the table that owns it. Open addressing, linear
// probing, eight bytes a slot (32 bits of hash, 32 bits of row + 1).
//
// Every process has its own hash seed, so nobody can prepare an input that
// collides. Row numbers depend only on the order of insertion, so results are
// the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace wick {

namespace hash_detail {
extern const std::uint64_t kSeed;

__extension__ using Uint128 = unsigned __int128;

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<Uint128>(a) * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

inline std::uint64_t load64(const char* p) {
  std::uint64_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

inline std::uint64_t load32(const char* p) {
  std::uint32_t value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

constexpr std::uint64_t kA = 0x9e3779b97f4a7c15, kB = 0xc2b2ae3d27d4eb4f;
}  // namespace hash_detail

inline std::uint64_t hash_bytes(std::string_view bytes) {
  using namespace hash_detail;
  const char* p = bytes.data();
  std::size_t n = bytes.size();
  std::uint64_t h = kSeed ^ (n * kA);
  while (n > 16) {
    h = mix(load64(p) ^ h, load64(p + 8) ^ kB);
    p += 16;
    n -= 16;
  }
  std::uint64_t a = 0, b = 0;
  if (n >= 8) {
    a = load64(p);
    b = load64(p + n - 8);
  } else if (n >= 4) {
    a = load32(p);
    b = load32(p + n - 4);
  } else if (n > 0) {
    a = static_cast<unsigned char>(p[0]);
    b = static_cast<std::uint64_t>(static_cast<unsigned char>(p[n / 2])) << 8 |
        static_cast<unsigned char>(p[n - 1]);
  }
  return mix(a ^ h ^ kA, b ^ kB ^ (h >> 32));
}

inline std::uint64_t hash_pair(std::uint64_t a, std::uint64_t b) {
  using namespace hash_detail;
  return mix(a ^ kSeed, b ^ kB);
}

class HashIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // The row added with this hash for which equal(row) is true; if there is
  // none, adds the row that make() returns.
  template <class Equal, class Make>
  std::uint32_t find_or_add(std::uint64_t hash, Equal equal, Make make) {
    if ((used_ + 1) * 4 > slots_.size() * 3) grow();
    const std::uint32_t tag = tag_of(hash);
    std::size_t at = tag & mask_;
    while (slots_[at].row_plus_1 != 0) {
      if (slots_[at].tag == tag && equal(slots_[at].row_plus_1 - 1))
        return slots_[at].row_plus_1 - 1;
      at = (at + 1) & mask_;
    }
    const std::uint32_t row = make();
    slots_[at] = {tag, row + 1};
    ++used_;
    return row;
  }

  template <class Equal>
  std::uint32_t find(std::uint64_t hash, Equal equal) const {
    if (slots_.empty()) return kNone;
    const std::uint32_t tag = tag_of(hash);
    for (std::size_t at = tag & mask_; slots_[at].row_plus_1 != 0;
         at = (at + 1) & mask_)
      if (slots_[at].tag == tag && equal(slots_[at].row_plus_1 - 1))
        return slots_[at].row_plus_1 - 1;
    return kNone;
  }

  // Removes a row that was added with this hash.
  void erase(std::uint64_t hash, std::uint32_t row) {
    std::size_t hole = tag_of(hash) & mask_;
    while (slots_[hole].row_plus_1 != row + 1) hole = (hole + 1) & mask_;
    // What was put further on because of it moves back.
    for (std::size_t at = (hole + 1) & mask_; slots_[at].row_plus_1 != 0;
         at = (at + 1) & mask_) {
      const std::size_t home = slots_[at].tag & mask_;
      if (((at - home) & mask_) < ((at - hole) & mask_)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = {};
    --used_;
  }

  // Prefetches the slot of `hash`, for a lookup that follows soon.
  void prefetch(std::uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[tag_of(hash) & mask_]);
  }

  std::size_t size() const { return used_; }
  void clear() {
    slots_.clear();
    used_ = 0;
    mask_ = 0;
  }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t row_plus_1 = 0;
  };

  static std::uint32_t tag_of(std::uint64_t hash) {
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
  }

  void grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0, mask_ = 0;
};

}  // namespace wick

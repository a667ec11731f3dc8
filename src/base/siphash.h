// SPDX-License-Identifier: Apache-2.0
// SipHash-2-4: a hash that nobody can make collide who does not know the key.
// For hashes that are kept; tables in memory use base/hash_index.h, which is
// faster and compares what it finds.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace wick {

struct SipKey {
  std::uint64_t first = 0, second = 0;
};

inline std::uint64_t siphash(const SipKey& key, std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t v0 = key.first ^ 0x736f6d6570736575;
  std::uint64_t v1 = key.second ^ 0x646f72616e646f6d;
  std::uint64_t v2 = key.first ^ 0x6c7967656e657261;
  std::uint64_t v3 = key.second ^ 0x7465646279746573;
  const auto mix = [&](int rounds) {
    for (int i = 0; i < rounds; ++i) {
      v0 += v1;
      v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  };
  const auto add = [&](std::uint64_t word) {
    v3 ^= word;
    mix(2);
    v0 ^= word;
  };
  const std::uint64_t size = bytes.size();
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    add(word);
  }
  std::uint64_t last = 0;
  if (!bytes.empty()) std::memcpy(&last, bytes.data(), bytes.size());
  add(last | size << 56);
  v2 ^= 0xff;
  mix(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

}  // namespace wick

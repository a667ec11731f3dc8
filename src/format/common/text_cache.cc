// SPDX-License-Identifier: Apache-2.0
#include "format/common/text_cache.h"

#include <cstring>
#include <random>

namespace wick {
namespace {

using hash_detail::kA;
using hash_detail::kB;
using hash_detail::load64;
using hash_detail::mix;

const std::uint64_t kSecrets[4] = {
    std::random_device()() * kA, std::random_device()() * kA,
    std::random_device()() * kB, std::random_device()() * kB};

// Two sums over the same bytes with different secrets.
struct Lane {
  std::uint64_t a, b;
  void add(const char* p) {
    const std::uint64_t x = load64(p), y = load64(p + 8);
    a = mix(x ^ a, y ^ kSecrets[0]);
    b = mix(x ^ kSecrets[1], y ^ b);
  }
};

}  // namespace

TextHash hash_text(std::string_view text) {
  // Two lanes that do not wait for each other.
  Lane even{kSecrets[2], kSecrets[3]}, odd{~kSecrets[3], ~kSecrets[2]};
  const char* p = text.data();
  std::size_t left = text.size();
  for (; left >= 32; left -= 32, p += 32) {
    even.add(p);
    odd.add(p + 16);
  }
  char rest[32] = {};
  if (left > 0) std::memcpy(rest, p, left);
  even.add(rest);
  odd.add(rest + 16);
  return {mix(even.a ^ text.size(), odd.a ^ kA),
          mix(even.b ^ kB, odd.b ^ text.size())};
}

std::size_t paragraph_end(std::string_view text) {
  using Bytes = unsigned char __attribute__((vector_size(16)));
  const Bytes line_ends = Bytes{} + '\n';
  std::size_t at = 0;
  for (; at + 17 <= text.size(); at += 16) {
    Bytes here, next;
    std::memcpy(&here, text.data() + at, 16);
    std::memcpy(&next, text.data() + at + 1, 16);
    const auto both = (here == line_ends) & (next == line_ends);
    std::uint64_t halves[2];
    std::memcpy(halves, &both, 16);
    if ((halves[0] | halves[1]) != 0) break;
  }
  const std::size_t end = text.find("\n\n", at);
  return end == text.npos ? end : end + 1;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "base/siphash.h"

#include <gtest/gtest.h>

#include <string>

namespace wick {
namespace {

// The key 00 01 02 … 0f and the message 00 01 02 … of the paper's appendix.
constexpr SipKey kKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};

std::string counting(int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(SipHash, IsThatOfThePaper) {
  EXPECT_EQ(siphash(kKey, counting(15)), 0xa129ca6149be45e5u);
  EXPECT_EQ(siphash(kKey, counting(0)), 0x726fdb47dd0e0e31u);
  EXPECT_EQ(siphash(kKey, counting(8)), 0x93f5f5799a932462u);
}

TEST(SipHash, DependsOnTheKey) {
  EXPECT_NE(siphash(kKey, "a"), siphash({1, 2}, "a"));
}

}  // namespace
}  // namespace wick

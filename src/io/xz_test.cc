// SPDX-License-Identifier: Apache-2.0
#include "io/xz.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/xz.h"

namespace wick {
namespace {

TEST(Xz, WhatWasCompressedComesBack) {
  EXPECT_EQ(xz_decompress(xz(std::string(1000, 'x')), 1000),
            std::string(1000, 'x'));
}

TEST(Xz, MoreThanTheLimitIsRefused) {
  EXPECT_THROW(xz_decompress(xz(std::string(1000, 'x')), 999), Error);
}

TEST(Xz, BombIsRefused) {
  EXPECT_THROW(xz_decompress(xz(std::string(100 << 20, '\0')), UINT64_MAX),
               Error);
}

TEST(Xz, AnyPrefixIsRefused) {
  const std::string whole = xz("some text");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(xz_decompress(whole.substr(0, size), 100), Error);
}

}  // namespace
}  // namespace wick

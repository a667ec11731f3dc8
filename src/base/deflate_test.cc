// SPDX-License-Identifier: Apache-2.0
#include "base/deflate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <utility>

#include "base/compress.h"

namespace wick {
namespace {

std::string through_gzip(const std::string& bytes) {
  std::ostringstream out;
  GzipWriter writer(out);
  writer.write(bytes);
  writer.finish();
  return decompress(out.str(), std::uint64_t{1} << 32);
}

// Text with matches near and far, of all lengths.
std::string random_text(std::uint32_t seed, std::size_t size) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < size) {
    if (text.size() < 10 || random() % 3 == 0) {
      const std::size_t count = 1 + random() % 40;
      const unsigned range = seed % 2 == 0 ? 256 : 4;
      for (std::size_t i = 0; i < count; ++i)
        text += static_cast<char>(random() % range);
    } else {
      const std::size_t back =
          1 + random() % std::min<std::size_t>(text.size(), 40'000);
      const std::size_t count = 1 + random() % 400;
      for (std::size_t i = 0; i < count; ++i) text += text[text.size() - back];
    }
  }
  return text;
}

TEST(Deflate, IsUndoneByZlib) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::string text = random_text(seed, 1 + seed * seed * 1000);
    ASSERT_EQ(through_gzip(text), text);
  }
}

TEST(Deflate, JoinsPieces) {
  const std::string text = random_text(3, 6 << 20);
  ASSERT_EQ(through_gzip(text), text);
}

TEST(Deflate, WritesExtremes) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(1 << 20, 'x'),
        std::string(3, '\0')})
    EXPECT_EQ(through_gzip(text), text);
}

// Counts that grow like Fibonacci's numbers make the longest codes.
TEST(Deflate, KeepsCodesShortEnough) {
  std::string text;
  std::size_t a = 1, b = 1;
  for (char c = 'a'; c < 'a' + 24; ++c) {
    text.append(a, c);
    b = std::exchange(a, b) + b;
  }
  std::mt19937 random(1);
  std::shuffle(text.begin(), text.end(), random);
  EXPECT_EQ(through_gzip(text), text);
}

TEST(Deflate, MakesTextSmaller) {
  std::string out;
  append_deflated(out, random_text(1, 1 << 20), 0, true);
  EXPECT_LT(out.size(), std::size_t{1} << 19);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "format/common/text_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace wick {
namespace {

TEST(TextCache, FindsWhatWasAddedForATextAndNothingElse) {
  TextCache<int> cache;
  cache.add(hash_text("a stack"), 7);
  ASSERT_NE(cache.find(hash_text("a stack")), nullptr);
  EXPECT_EQ(*cache.find(hash_text("a stack")), 7);
  EXPECT_EQ(cache.find(hash_text("another")), nullptr);
}

TEST(TextCache, TellsEveryChangedByteApart) {
  std::string text(100, 'x');
  const TextHash whole = hash_text(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[i] = 'y';
    EXPECT_NE(hash_text(text), whole) << "byte " << i;
    text[i] = 'x';
  }
}

TEST(TextCache, TakesNothingForAText) {
  EXPECT_EQ(hash_text({}), hash_text(""));
}

TEST(TextCache, TellsEveryLengthApart) {
  const std::string zeros(100, '\0');
  for (std::size_t size = 1; size < zeros.size(); ++size)
    EXPECT_NE(hash_text(zeros.substr(0, size)),
              hash_text(zeros.substr(0, size - 1)))
        << size << " bytes";
}

TEST(ParagraphEnd, IsAfterTheLastLine) {
  EXPECT_EQ(paragraph_end("a\nb\n\nc\n\n"), 4u);
  EXPECT_EQ(paragraph_end("\n\n"), 1u);
}

TEST(ParagraphEnd, IsNotThereWithoutAnEmptyLine) {
  EXPECT_EQ(paragraph_end(""), std::string_view::npos);
  EXPECT_EQ(paragraph_end("a\nb\n"), std::string_view::npos);
}

TEST(ParagraphEnd, IsFoundAtEveryOffset) {
  for (std::size_t at = 0; at < 70; ++at)
    EXPECT_EQ(paragraph_end(std::string(at, 'x') + "\n\n" +
                            std::string(at, 'y') + "\n\n"),
              at + 1);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "format/common/source_place.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(SourcePlace, HasAFileAndALine) {
  const auto place = parse_source_place("/src/cart.cc:9");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->file, "/src/cart.cc");
  EXPECT_EQ(place->line, 9u);
}

TEST(SourcePlace, IgnoresAColumn) {
  const auto place = parse_source_place("https://a:80/x.js:12:34");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->file, "https://a:80/x.js");
  EXPECT_EQ(place->line, 12u);
}

TEST(SourcePlace, IsNothingWithoutALine) {
  EXPECT_FALSE(parse_source_place("cart.cc"));
  EXPECT_FALSE(parse_source_place("cart.cc:x"));
}

}  // namespace
}  // namespace wick

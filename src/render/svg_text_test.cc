// SPDX-License-Identifier: Apache-2.0
#include "render/svg_text.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace wick {
namespace {

TEST(SvgText, TakesColoursAndNothingElse) {
  EXPECT_EQ(checked_color("rgb(1, 2, 3)"), "rgb(1, 2, 3)");
  EXPECT_EQ(checked_color("#fff"), "#fff");
  EXPECT_THROW(checked_color("red;} *{display:none"), UsageError);
  EXPECT_THROW(checked_color("\"><script>"), UsageError);
}

TEST(SvgText, QuotesFontsButNotFamilies) {
  EXPECT_EQ(font_family("monospace"), "monospace");
  EXPECT_EQ(font_family("DejaVu Sans"), "\"DejaVu Sans\"");
  EXPECT_EQ(font_family("x\";} <b>"), "\"x b\"");
}

TEST(SvgText, PutsNoTwoDashesIntoAComment) {
  EXPECT_EQ(comment_text("a --> b"), "a - -&gt; b");
}

TEST(SvgText, CutsQualifiersBeforeTheNameItself) {
  EXPECT_EQ(cut_label("shop::Stock::take", 17, 12, false), "..tock::take");
  EXPECT_EQ(cut_label("shop::Stock::take", 17, 5, false), "take");
  EXPECT_EQ(cut_label("shop::Stock::take_all", 21, 6, false), "take..");
  EXPECT_EQ(cut_label("shop::Stock::take", 17, 7, true), "shop:..");
}

TEST(SvgText, CountsCharactersNotBytes) {
  EXPECT_EQ(characters_in("größe"), 5);
  EXPECT_EQ(cut_label("größe", 5, 4, true), "gr..");
  EXPECT_EQ(cut_label("äöüß", 4, 3, true), "ä..");
}

}  // namespace
}  // namespace wick

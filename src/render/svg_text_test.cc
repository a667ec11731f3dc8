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

TEST(SvgText, CountsCharactersNotBytes) {
  EXPECT_EQ(characters_in("größe"), 5);
}

}  // namespace
}  // namespace wick

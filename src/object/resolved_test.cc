// SPDX-License-Identifier: Apache-2.0
#include "object/resolved.h"

#include <gtest/gtest.h>

#include <vector>

namespace wick {
namespace {

TEST(Resolved, ALongTextIsCutAndCounted) {
  Resolved resolved;
  const std::string longest(Resolved::kMaxText, 'n');
  EXPECT_EQ(resolved[resolved.text(longest)], longest);
  EXPECT_EQ(resolved.cut_texts(), 0u);
  EXPECT_EQ(resolved[resolved.text("x" + longest)],
            "x" + longest.substr(0, Resolved::kMaxText - 1));
  EXPECT_EQ(resolved.cut_texts(), 1u);
}

TEST(Resolved, AfterMuchTextOnlyShortOnesAreKeptWhole) {
  Resolved resolved;
  const std::string long_text(Resolved::kMaxText - 8, 'n');
  std::size_t kept = 0;
  for (int i = 1000; i < 2000; ++i)
    kept += resolved[resolved.text(std::to_string(i) + long_text)].size();
  EXPECT_LT(kept, Resolved::kMuchText + Resolved::kMaxText +
                      1000 * Resolved::kMaxTextAfterMuch);
  EXPECT_EQ(resolved[resolved.text("main")], "main");
}

TEST(Resolved, OfTooManyInlinedCallsTheOutermostAreKept) {
  Resolved resolved;
  std::vector<ResolvedFrame> frames(Resolved::kMaxFrames + 1);
  for (std::uint32_t i = 0; i < frames.size(); ++i) frames[i].line = i;
  resolved.add(0x1000, frames);
  const auto kept = resolved.frames(*resolved.find(0x1000));
  ASSERT_EQ(kept.size(), Resolved::kMaxFrames);
  EXPECT_EQ(kept.front().line, 0u);
  EXPECT_EQ(kept.back().line, Resolved::kMaxFrames - 1);
  EXPECT_EQ(resolved.cut_rows(), 1u);
}

}  // namespace
}  // namespace wick

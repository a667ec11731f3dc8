// SPDX-License-Identifier: Apache-2.0
#include "transform/transform.h"

#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Transform, ReplacingFramesByThemselvesChangesNothing) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile =
        replace_frames(random_profile(seed),
                       [](Profile&, const Frame& frame,
                          std::vector<Frame>& out) { out.push_back(frame); });
    EXPECT_EQ(check(profile), "");
    EXPECT_EQ(folded(profile), folded(random_profile(seed)));
  }
}

TEST(Transform, MovingStacksAgreesWithRewritingThem) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const auto is_root = [](FrameId frame) { return index(frame) % 5 == 0; };
    const auto is_hidden = [](FrameId frame) { return index(frame) % 3 == 0; };
    for (const bool skips_leaf : {false, true}) {
      const Profile moved = move_stacks(
          random_profile(seed),
          {.push =
               [&](StackTable& to, StackId caller, FrameId frame) {
                 return is_hidden(frame) ? caller : to.push(caller, frame);
               },
           .begins_at = is_root,
           .skips_leaf = skips_leaf});
      const Profile rewritten = rewrite_stacks(
          random_profile(seed),
          [&](const Profile&, std::vector<FrameId>& frames) {
            for (std::size_t i = frames.size(); i-- > 0;)
              if (is_root(frames[i]) &&
                  !(skips_leaf && i + 1 == frames.size())) {
                frames.erase(frames.begin(),
                             frames.begin() + static_cast<std::ptrdiff_t>(i));
                break;
              }
            std::erase_if(frames, is_hidden);
          });
      EXPECT_EQ(check(moved), "");
      EXPECT_EQ(folded(moved), folded(rewritten));
    }
  }
}

}  // namespace
}  // namespace wick

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

}  // namespace
}  // namespace wick

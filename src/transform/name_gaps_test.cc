// SPDX-License-Identifier: Apache-2.0
#include "transform/name_gaps.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace wick {
namespace {

// Samples of one frame each, in functions of a module ("": one without a name).
Profile samples_in(
    std::string_view module,
    const std::vector<std::pair<std::string, std::int64_t>>& functions) {
  Profile profile;
  profile.event_id("cycles", "");
  const ModuleId id = profile.module_id(module);
  profile.modules[id].no_names = profile.strings.intern("it was replaced");
  for (const auto& [function, weight] : functions) {
    const FrameId frame = profile.frames.intern(
        {.function = profile.strings.intern(function), .module = id});
    profile.samples.push_back(
        {.weight = weight,
         .stack = profile.stacks.push(StackId::kRoot, frame),
         .event = EventId{0}});
  }
  return profile;
}

TEST(NameGaps, AModuleWithNamesOnOneSideIsAGap) {
  const auto gaps =
      find_name_gaps(samples_in("/old/p", {{"", 60}, {"f", 40}}),
                     samples_in("/new/p", {{"f", 40}, {"g", 60}}));
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].module, "/old/p");
  EXPECT_TRUE(gaps[0].is_before);
  EXPECT_DOUBLE_EQ(gaps[0].share, 0.6);
  EXPECT_EQ(gaps[0].why, "it was replaced");
}

TEST(NameGaps, TheSideWithoutNamesMayBeTheSecond) {
  const auto gaps = find_name_gaps(samples_in("/p", {{"f", 100}}),
                                   samples_in("/p", {{"", 100}}));
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_FALSE(gaps[0].is_before);
}

TEST(NameGaps, AModuleThatHasNamesOnNeitherSideIsNone) {
  EXPECT_TRUE(find_name_gaps(samples_in("/p", {{"", 90}, {"f", 10}}),
                             samples_in("/p", {{"", 80}, {"f", 20}}))
                  .empty());
}

TEST(NameGaps, AModuleOfOneSideAloneIsNone) {
  EXPECT_TRUE(find_name_gaps(samples_in("/p", {{"", 100}}),
                             samples_in("/q", {{"f", 100}}))
                  .empty());
}

TEST(NameGaps, FewSamplesDoNotMatter) {
  EXPECT_TRUE(find_name_gaps(samples_in("/p", {{"", 1}, {"f", 199}}),
                             samples_in("/p", {{"f", 200}}))
                  .empty());
}

}  // namespace
}  // namespace wick

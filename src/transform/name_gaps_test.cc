// SPDX-License-Identifier: Apache-2.0
#include "transform/name_gaps.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transform/diff_gate.h"
#include "transform/merge.h"

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
  EXPECT_EQ(gaps[0].kind, NameGapKind::kOneSide);
  EXPECT_EQ(gaps[0].module, "/old/p");
  EXPECT_TRUE(gaps[0].is_before);
  EXPECT_DOUBLE_EQ(gaps[0].share, 0.6);
  EXPECT_EQ(gaps[0].why, "it was replaced");
}

TEST(NameGaps, TheSideWithoutNamesMayBeTheSecond) {
  const auto gaps = find_name_gaps(samples_in("/p", {{"f", 100}}),
                                   samples_in("/p", {{"", 100}}));
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0].kind, NameGapKind::kOneSide);
  EXPECT_FALSE(gaps[0].is_before);
  EXPECT_EQ(gaps[1].kind, NameGapKind::kNoNames);
}

TEST(NameGaps, AModuleThatHasNamesOnNeitherSideMayHideFunctions) {
  const auto gaps = find_name_gaps(samples_in("/p", {{"", 90}, {"f", 10}}),
                                   samples_in("/p", {{"", 80}, {"f", 20}}));
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0].kind, NameGapKind::kNoNames);
  EXPECT_TRUE(gaps[0].is_before);
  EXPECT_EQ(gaps[1].kind, NameGapKind::kNoNames);
  EXPECT_FALSE(gaps[1].is_before);
}

TEST(NameGaps, AModuleWithMostNamesHidesNothing) {
  EXPECT_TRUE(find_name_gaps(samples_in("/p", {{"", 20}, {"f", 80}}),
                             samples_in("/p", {{"", 20}, {"f", 80}}))
                  .empty());
}

// A program whose function at `start` has no name, and another with one.
Profile stripped(std::string_view build_id, std::uint64_t start,
                 std::string_view path = "/bin/s") {
  Profile profile;
  profile.event_id("cycles", "");
  const ModuleId id = profile.module_id(path, build_id);
  const ModuleId other = profile.module_id("/bin/whole", "77");
  for (const Frame& frame :
       {Frame{.module = id, .function_start = start},
        Frame{.function = profile.strings.intern("f"), .module = other}})
    profile.samples.push_back(
        {.weight = 50,
         .stack =
             profile.stacks.push(StackId::kRoot, profile.frames.intern(frame)),
         .event = EventId{0}});
  return profile;
}

bool has_builds(const std::vector<NameGap>& gaps) {
  return !gaps.empty() && gaps[0].kind == NameGapKind::kBuilds;
}

TEST(NameGaps, AddressesOfTwoBuildsAreOne) {
  const auto gaps =
      find_name_gaps(stripped("01", 0x1190), stripped("02", 0x11a0));
  ASSERT_TRUE(has_builds(gaps));
  EXPECT_EQ(gaps[0].functions, std::set<std::string>{"[s+0x1190]"});
}

TEST(NameGaps, AddressesOfOneBuildAreNone) {
  EXPECT_FALSE(has_builds(
      find_name_gaps(stripped("01", 0x1190), stripped("01", 0x11a0))));
}

TEST(NameGaps, AddressesOfUnknownBuildsAreOne) {
  EXPECT_TRUE(
      has_builds(find_name_gaps(stripped("", 0x1190), stripped("", 0x1190))));
}

TEST(NameGaps, NamesOfModulesNeedNone) {
  EXPECT_TRUE(find_name_gaps(stripped("01", 0x1190), stripped("02", 0x1190),
                             {.detail = NameDetail::kModule})
                  .empty());
}

// Whether a gate on functions of both programs can be judged.
bool can_judge(std::string_view gate, Profile before, Profile after) {
  const auto gaps = find_name_gaps(before, after);
  const DiffTable table =
      compare(join_as_difference(std::move(before), std::move(after)), {});
  return !gap_in_the_way(parse_gate(gate), table, gaps);
}

TEST(NameGaps, AGateOnAnAddressNeedsTheSameBuild) {
  EXPECT_FALSE(
      can_judge("0x1190>+2%", stripped("01", 0x1190), stripped("02", 0x1190)));
  EXPECT_FALSE(
      can_judge("0x11>1.1x", stripped("01", 0x1190), stripped("02", 0x11a0)));
  EXPECT_TRUE(
      can_judge("0x11>+2%", stripped("01", 0x1190), stripped("01", 0x11a0)));
}

TEST(NameGaps, AGateOnAFunctionWithANameDoesNotMindOthersWithout) {
  EXPECT_TRUE(
      can_judge("f>+2%", stripped("01", 0x1190), stripped("02", 0x1190)));
}

TEST(NameGaps, AGateOnTheWholeProgramNeedsNoNames) {
  EXPECT_TRUE(
      can_judge("total>1.1x", stripped("01", 0x1190), stripped("02", 0x1190)));
}

TEST(NameGaps, AGateThatMatchesNothingNeedsNames) {
  EXPECT_FALSE(
      can_judge("hot>+2%", stripped("01", 0x1190), stripped("01", 0x1190)));
  EXPECT_TRUE(can_judge("hot>+2%", samples_in("/p", {{"f", 100}}),
                        samples_in("/p", {{"f", 100}})));
}

TEST(NameGaps, AFunctionOfOneSideMayHaveNoNameInAnotherFile) {
  const auto named = [] { return samples_in("/p", {{"hot", 100}}); };
  const auto bare = [] { return samples_in("/ps", {{"", 100}}); };
  EXPECT_FALSE(can_judge("hot>+2%", named(), bare()));
  EXPECT_FALSE(can_judge("hot>+2%", bare(), named()));
}

TEST(NameGaps, LittleCodeWithoutNamesDoesNotHideAFunctionWithMore) {
  EXPECT_TRUE(
      can_judge("hot>+2%", samples_in("/p", {{"f", 90}, {"hot", 90}}), [] {
        Profile after = samples_in("/p", {{"f", 90}});
        merge(after, samples_in("/ps", {{"", 10}}));
        return after;
      }()));
}

TEST(NameGaps, CodeWithoutNamesOnBothSidesDoesNotHideAFunctionOfOne) {
  Profile before = stripped("01", 0x1190), after = stripped("02", 0x1190);
  merge(after, samples_in("/p", {{"fresh", 50}}));
  EXPECT_TRUE(can_judge("fresh>+2%", std::move(before), std::move(after)));
}

TEST(NameGaps, AnAddressOfAFileOfOneSideCannotBeJudged) {
  EXPECT_FALSE(can_judge("0x1190>+2%", stripped("01", 0x1190),
                         stripped("01", 0x1190, "/bin/mine")));
}

TEST(NameGaps, AModuleOfOneSideAloneIsNotCompared) {
  const auto gaps = find_name_gaps(samples_in("/p", {{"", 100}}),
                                   samples_in("/q", {{"f", 100}}));
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].kind, NameGapKind::kNoNames);
}

TEST(NameGaps, FewSamplesDoNotMatter) {
  EXPECT_TRUE(find_name_gaps(samples_in("/p", {{"", 1}, {"f", 199}}),
                             samples_in("/p", {{"f", 200}}))
                  .empty());
}

}  // namespace
}  // namespace wick

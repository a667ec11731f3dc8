// SPDX-License-Identifier: Apache-2.0
#include "transform/merge.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Merge, FoldOfAMergeIsTheSumOfTheFolds) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Profile merged = random_profile(seed);
    merge(merged, random_profile(seed + 1000));
    EXPECT_EQ(check(merged), "");
    // Concatenated folded text is a merge, too.
    const std::string text =
        folded(random_profile(seed)) + folded(random_profile(seed + 1000));
    EXPECT_EQ(folded(merged), folded(read_text("folded", text)));
  }
}

TEST(Merge, AddsWeightsOfDifferentPrecision) {
  Profile profile = read_text("folded", "a 1\n");
  merge(profile, read_text("folded", "a 0.25\n"));
  EXPECT_EQ(folded(profile), "a 1.25\n");
}

TEST(Merge, HasEachStackOnce) {
  const auto stacks_of = [](const Profile& profile) {
    std::set<std::pair<StackId, FrameId>> rows;
    for (const StackId id : profile.stacks.ids())
      if (id != StackId::kRoot)
        rows.insert({profile.stacks.parent(id), profile.stacks.frame(id)});
    EXPECT_EQ(rows.size() + 1, profile.stacks.size());
    return rows.size();
  };
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    Profile merged = random_profile(seed);
    const std::size_t count = stacks_of(merged);
    merge(merged, random_profile(seed));
    EXPECT_EQ(stacks_of(merged), count);
    merge(merged, random_profile(seed + 1));
    EXPECT_GT(stacks_of(merged), count);
    merge(merged, read_text("folded", "main;new 1\n"));
    stacks_of(merged);
    EXPECT_EQ(check(merged), "");
  }
}

TEST(Merge, AddsLostTimesAndWhatTheyAreAPartOf) {
  Profile profile = read_text("folded", "a 1\n");
  Profile other = read_text("folded", "b 1\n");
  profile.diagnostics.note_time(Problem::kNotSampled, 1'000'000, 4'000'000);
  other.diagnostics.note_time(Problem::kNotSampled, 2'000'000, 6'000'000);
  // Only one input tells of these, so nobody knows the whole of both.
  other.diagnostics.note_time(Problem::kMayNotBeSampled, 2'000'000, 6'000'000);
  merge(profile, other);
  EXPECT_EQ(describe(profile.diagnostics.entries().at(1)),
            "3.00 ms of CPU time was not sampled (30% of 10.0 ms)");
  EXPECT_EQ(profile.diagnostics.entries().at(0).whole, 0);
}

TEST(Merge, KeepsWhichTimeAnEventIs) {
  Profile profile = read_text("folded", "a 1\n");
  Profile other;
  const EventId waiting = other.event_id("offcpu-time", "nanoseconds");
  other.events[waiting].time = TimeKind::kOffCpu;
  other.is_trace = true;
  merge(profile, other);
  EXPECT_EQ(profile.events[EventId{0}].time, TimeKind::kNone);
  EXPECT_EQ(profile.events[EventId{1}].time, TimeKind::kOffCpu);
  EXPECT_TRUE(profile.is_trace);
}

}  // namespace
}  // namespace wick

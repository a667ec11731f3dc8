// SPDX-License-Identifier: Apache-2.0
#include "transform/recording.h"

#include <gtest/gtest.h>

#include "profile/about_keys.h"

namespace wick {
namespace {

TEST(RecordingSummary, HasTheProgramBehindTheRecordersOwnOptions) {
  Profile profile;
  EXPECT_EQ(recorded_command(profile), "");
  profile.set_about(kAboutCommand, "wick record -a -- ./a -- b");
  EXPECT_EQ(recorded_command(profile), "./a -- b");
}

TEST(RecordingSummary, LeavesOutWhatSeveralRecordingsDisagreeOn) {
  Profile profile;
  profile.set_about(kAboutCommand, "./a");
  profile.set_about(kAboutCommand, "./b");
  EXPECT_EQ(recorded_command(profile), "");
}

TEST(RecordingSummary, CountsTheCpusOfItsSamples) {
  Profile profile;
  profile.has_time = true;
  profile.event_id("cycles");
  for (const std::uint32_t cpu : {3u, 1u, 3u, Sample::kNoCpu})
    profile.samples.push_back({.time = 5, .weight = 1, .cpu = cpu});
  EXPECT_EQ(summarize(profile).cpus, 2);
}

TEST(RecordingSummary, KnowsWhenEachEventWasSampled) {
  Profile profile;
  profile.has_time = true;
  const EventId cycles = profile.event_id("cycles");
  const EventId faults = profile.event_id("page-faults");
  profile.samples = {{.time = 5, .weight = 1, .event = faults},
                     {.time = 7, .weight = 1, .event = cycles},
                     {.time = 8, .weight = 1, .event = faults},
                     {.time = 12, .weight = 1, .event = cycles}};
  const std::vector<EventFacts> facts = facts_of_events(profile);
  EXPECT_EQ(facts[index(cycles)].begin, 2);
  EXPECT_EQ(facts[index(cycles)].end, 7);
  EXPECT_EQ(facts[index(faults)].begin, 0);
  EXPECT_EQ(facts[index(faults)].end, 3);
}

TEST(RecordingSummary, KnowsWhatEndedInCodeWithoutAName) {
  Profile profile;
  const EventId event = profile.event_id("cycles");
  profile.has_time = true;
  const StackId named =
      profile.stacks.push(StackId::kRoot, profile.named_frame("f"));
  const StackId nameless = profile.stacks.push(named, profile.named_frame(""));
  profile.samples = {{.weight = 30, .stack = named, .event = event},
                     {.weight = 10, .stack = nameless, .event = event},
                     {.weight = 2, .event = event}};
  const EventFacts facts = facts_of_events(profile).at(0);
  EXPECT_EQ(facts.samples, 3);
  EXPECT_EQ(facts.weight, 42);
  EXPECT_EQ(facts.unnamed, 10);
}

// Of a sum, nobody knows how many samples it was.
TEST(RecordingSummary, DoesNotTakeRowsForSamples) {
  Profile profile;
  const EventId event = profile.event_id("cycles");
  profile.samples = {{.weight = 30, .event = event}};
  EXPECT_EQ(facts_of_events(profile).at(0).samples, 0);
}

double lost(const Profile& profile, Problem problem) {
  for (const Diagnostics::Entry& entry : profile.diagnostics.entries())
    if (entry.problem == problem)
      return share_of(entry, profile.diagnostics, size_of_whole(profile))
          .value_or(-1);
  return -1;
}

TEST(RecordingSummary, LostSamplesAreAShareOfAllThatWereTaken) {
  Profile profile;
  profile.has_time = true;
  const EventId event = profile.event_id("cycles");
  profile.samples = {{.weight = 7, .event = event},
                     {.weight = 7, .event = event}};
  profile.diagnostics.note(Problem::kLostSamples, 1);
  profile.diagnostics.note(Problem::kNotSelected, 1);
  EXPECT_EQ(lost(profile, Problem::kLostSamples), 0.25);
}

TEST(RecordingSummary, AMissingWeightIsAShareOfTheWhole) {
  Profile profile;
  const EventId event = profile.event_id("cycles");
  profile.samples = {{.weight = 75, .event = event}};
  profile.diagnostics.note(Problem::kBadRecord, 3, 25);
  profile.diagnostics.note(Problem::kBadLine, 3);
  EXPECT_EQ(lost(profile, Problem::kBadRecord), 0.25);
  EXPECT_EQ(lost(profile, Problem::kBadLine), -1);
}

TEST(RecordingSummary, TimeThatWasNotSampledIsAShareOfTheTimeOnTheCpu) {
  Profile profile;
  const EventId event = profile.event_id("cpu-clock", "nanoseconds");
  profile.samples = {{.weight = 750, .event = event}};
  profile.diagnostics.note_time(Problem::kShortLived, 250, 1000);
  EXPECT_EQ(lost(profile, Problem::kShortLived), 0.25);
  // Of a selection, nobody knows.
  profile.diagnostics.note(Problem::kNotSelected, 1);
  EXPECT_EQ(lost(profile, Problem::kShortLived), -1);
}

TEST(RecordingSummary, AShareOfTimeDoesNotNeedAnEventThatCountsTime) {
  Profile profile;
  const EventId event = profile.event_id("cycles");
  profile.samples = {{.weight = 3'000'000, .event = event}};
  profile.diagnostics.note_time(Problem::kNotSampled, 250, 1000);
  EXPECT_EQ(lost(profile, Problem::kNotSampled), 0.25);
}

TEST(RecordingSummary, OfTimeWhoseWholeIsNotKnownTheShareIsThatOfTheSamples) {
  Profile profile;
  profile.diagnostics.note_time(Problem::kNotSampled, 250, 0);
  EXPECT_EQ(lost(profile, Problem::kNotSampled), -1);
  const EventId event = profile.event_id("cpu-clock", "nanoseconds");
  profile.samples = {{.weight = 750, .event = event}};
  EXPECT_EQ(lost(profile, Problem::kNotSampled), 0.25);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "transform/event_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "builders/read.h"
#include "transform/merge.h"

namespace wick {
namespace {

TEST(EventGroup, IsTheEventWithoutModeAndKindOfCore) {
  EXPECT_EQ(event_group("cycles:upp"), "cycles");
  EXPECT_EQ(event_group("cpu_core/cycles/u"), "cycles");
  EXPECT_EQ(event_group("cpu-clock"), "cpu-clock");
  EXPECT_EQ(event_group("sched:sched_switch"), "sched:sched_switch");
}

constexpr std::string_view kTwoEvents =
    "a 1 1.0: 10 cycles:\n\t0 f (m)\n\n"
    "a 1 1.1: 7 faults:\n\t0 g (m)\n\n"
    "a 1 1.2: 7 faults:\n\t0 g (m)\n\n";

std::vector<std::string> groups_of(const std::vector<std::string>& names) {
  Profile profile;
  for (const std::string& name : names)
    profile.events.push_back({.name = profile.strings.intern(name)});
  std::vector<std::string> groups;
  for (const std::string_view group : event_groups(profile))
    groups.emplace_back(group);
  return groups;
}

TEST(EventGroups, HaveEventsThatCountDifferentThings) {
  using testing::ElementsAre;
  EXPECT_THAT(groups_of({"cycles:u", "cycles:k", "faults"}),
              ElementsAre("cycles", "cycles", "faults"));
  EXPECT_THAT(groups_of({"cpu_core/cycles/u", "cpu_atom/cycles/u"}),
              ElementsAre("cycles", "cycles"));
  EXPECT_THAT(groups_of({"cycles:G", "cycles:H"}),
              ElementsAre("cycles", "cycles"));
}

// Their samples would count twice if they were added up.
TEST(EventGroups, HaveNoTwoEventsThatCountTheSame) {
  using testing::ElementsAre;
  EXPECT_THAT(groups_of({"cycles:u", "cycles"}),
              ElementsAre("cycles:u", "cycles"));
  EXPECT_THAT(groups_of({"cycles", "cycles:ppp"}),
              ElementsAre("cycles", "cycles:ppp"));
  EXPECT_THAT(groups_of({"cycles:u", "cycles:uk", "cycles:k"}),
              ElementsAre("cycles", "cycles:uk", "cycles"));
  EXPECT_THAT(groups_of({"cpu_core/cycles/u", "cpu_core/cycles/"}),
              ElementsAre("cycles", "cpu_core/cycles/"));
}

TEST(SelectEvent, AddsUpNamesOfATextThatMayBeOneEvent) {
  Profile profile = read_text("perf-script",
                              "a 1 1.0: 10 cycles:u:\n\t0 f (m)\n\n"
                              "a 1 1.1: 7 cycles:\n\t0 g (m)\n\n");
  select_event(profile, "");
  EXPECT_EQ(profile.samples.size(), 2u);
}

TEST(SelectEvent, CountsSamplesThatWereAddedUp) {
  const Profile profile =
      select(read_text("perf-script", kTwoEvents, {.keep_time = false}), {});
  EXPECT_EQ(profile.diagnostics.count(Problem::kOtherEvent), 2u);
}

TEST(SelectEvent, NamesTheEventsThatItLeavesOut) {
  const Profile profile = select(read_text("perf-script", kTwoEvents), {});
  EXPECT_EQ(describe(profile.diagnostics).front(),
            "2 samples of other events are left out (kept: cycles; left out: "
            "faults)");
}

TEST(SelectEvent, AnEventThatIsAskedForLeavesNothingOut) {
  const Profile profile =
      select(read_text("perf-script", kTwoEvents), {.event = "faults"});
  EXPECT_EQ(profile.samples.size(), 2u);
  EXPECT_TRUE(describe(profile.diagnostics).empty());
}

TEST(SelectEvent, LeavesNothingOutOfATraceByShowingItsCyclesAlone) {
  Profile profile = read_text("perf-script", kTwoEvents);
  profile.is_trace = true;
  profile = select(std::move(profile), {});
  EXPECT_EQ(profile.samples.size(), 1u);
  EXPECT_TRUE(describe(profile.diagnostics).empty());
}

TEST(SelectEvent, TheFirstEventIsOneThatHasSamples) {
  Profile profile = read_text("perf-script", kTwoEvents);
  std::erase_if(profile.samples,
                [](const Sample& s) { return s.event == EventId{0}; });
  profile = select(std::move(profile), {});
  EXPECT_EQ(profile.samples.size(), 2u);
}

TEST(SelectEvent, WhatOnlySleptShowsItsTimeOffTheCpu) {
  constexpr std::string_view kAsleep =
      "a 1 1.0: 1 cpu-clock:\n\t0 f (m)\n\n"
      "a 1 1.1: 1 sched:sched_switch:\n\t0 g (m)\n\n"
      "a 1 1.1: 900 offcpu-time:\n\t0 g (m)\n\n";
  Profile ran = read_text("perf-script", kAsleep);
  guess_event_times(ran);
  Profile slept = read_text("perf-script", kAsleep);
  guess_event_times(slept);
  std::erase_if(slept.samples,
                [](const Sample& s) { return s.event == EventId{0}; });
  EXPECT_EQ(select(std::move(ran), {}).samples.front().weight, 1);
  EXPECT_EQ(select(std::move(slept), {}).samples.front().weight, 900);
}

TEST(SelectEvent, EventsWithoutSamplesAreNotOffered) {
  Profile profile = read_text("perf-script", kTwoEvents);
  profile.event_id("migrations", "");
  profile = select(std::move(profile), {});
  EXPECT_EQ(describe(profile.diagnostics).front(),
            "2 samples of other events are left out (kept: cycles; left out: "
            "faults)");
}

TEST(SelectEvent, CountsSamplesThatWereAddedUpAndMerged) {
  Profile profile = read_text("perf-script", kTwoEvents, {.keep_time = false});
  merge(profile, read_text("perf-script", kTwoEvents, {.keep_time = false}));
  profile = select(std::move(profile), {});
  EXPECT_EQ(profile.diagnostics.count(Problem::kOtherEvent), 4u);
}

TEST(SelectEvent, NamesTheEventsOfTheInputIfThereIsNoneOfThatName) {
  try {
    select(read_text("perf-script", kTwoEvents), {.event = "loads"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "there is no event 'loads'; the input has cycles, faults");
  }
}

TEST(SelectEvent, NamesNoneWithoutSamples) {
  Profile profile = read_text("perf-script", kTwoEvents);
  std::erase_if(profile.samples,
                [](const Sample& s) { return s.event == EventId{0}; });
  try {
    select(std::move(profile), {.event = "loads"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "there is no event 'loads'; the input has faults");
  }
}

}  // namespace
}  // namespace wick

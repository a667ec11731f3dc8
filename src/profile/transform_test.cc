// SPDX-License-Identifier: Apache-2.0
#include "profile/transform.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "base/error.h"
#include "builders/read.h"

namespace wick {
namespace {

std::string selected(std::string_view text, const Selection& selection) {
  return folded(select(read_text("folded", text), selection));
}

TEST(Select, FocusKeepsStacksWithAMatch) {
  EXPECT_EQ(selected("a;b;c 1\na;d 2\n", {.focus = {"^b$"}}), "a;b;c 1\n");
}

TEST(Select, CountsWhatItLeavesOut) {
  const Profile profile =
      select(read_text("folded", "a;b 1\na;d 2\n"), {.focus = {"b"}});
  EXPECT_EQ(profile.diagnostics.count(Problem::kNotSelected), 2u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kNotSelected), 2);
}

constexpr std::string_view kTwoEvents =
    "a 1 1.0: 10 cycles:\n\t0 f (m)\n\n"
    "a 1 1.1: 7 faults:\n\t0 g (m)\n\n"
    "a 1 1.2: 7 faults:\n\t0 g (m)\n\n";

TEST(Select, CountsSamplesThatWereAddedUp) {
  const Profile profile =
      select(read_text("perf-script", kTwoEvents, {.keep_time = false}), {});
  EXPECT_EQ(profile.diagnostics.count(Problem::kOtherEvent), 2u);
}

TEST(Select, NamesTheEventsThatItLeavesOut) {
  const Profile profile = select(read_text("perf-script", kTwoEvents), {});
  EXPECT_EQ(describe(profile.diagnostics).front(),
            "2 samples of other events are left out (cycles is kept; --event "
            "picks another: faults)");
}

TEST(Select, LeavesNothingOutOfATraceByShowingItsCyclesAlone) {
  Profile profile = read_text("perf-script", kTwoEvents);
  profile.set_about("trace", "24 cycles, 3 calls");
  profile = select(std::move(profile), {});
  EXPECT_EQ(profile.samples.size(), 1u);
  EXPECT_TRUE(describe(profile.diagnostics).empty());
}

TEST(Select, TheFirstEventIsOneThatHasSamples) {
  Profile profile = read_text("perf-script", kTwoEvents);
  std::erase_if(profile.samples,
                [](const Sample& s) { return s.event == EventId{0}; });
  profile = select(std::move(profile), {});
  EXPECT_EQ(profile.samples.size(), 2u);
}

TEST(Select, EventsWithoutSamplesAreNotOffered) {
  Profile profile = read_text("perf-script", kTwoEvents);
  profile.event_id("migrations", "");
  profile = select(std::move(profile), {});
  EXPECT_EQ(describe(profile.diagnostics).front(),
            "2 samples of other events are left out (cycles is kept; --event "
            "picks another: faults)");
}

TEST(Select, CountsSamplesThatWereAddedUpAndMerged) {
  Profile profile = read_text("perf-script", kTwoEvents, {.keep_time = false});
  merge(profile, read_text("perf-script", kTwoEvents, {.keep_time = false}));
  profile = select(std::move(profile), {});
  EXPECT_EQ(profile.diagnostics.count(Problem::kOtherEvent), 4u);
}

TEST(Select, CountsSamplesWithoutStackAmongThoseThatStay) {
  const Profile profile = select(read_text("perf-script",
                                           "a 1 1.0: 1 cycles:\n\n"
                                           "b 2 1.1: 1 cycles:\n\n"),
                                 {.comm = "a"});
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 1u);
}

TEST(Select, FocusLeavesNoSampleWithoutStack) {
  const Profile profile = select(read_text("perf-script",
                                           "a 1 1.0: 1 cycles:\n\n"
                                           "a 1 1.1: 1 cycles:\n\t0 f (m)\n"),
                                 {.focus = {"f"}});
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 0u);
}

TEST(Select, HideGivesTheWeightToTheCaller) {
  EXPECT_EQ(selected("a;b;c 1\na;b 2\n", {.hide = {"b"}}), "a 2\na;c 1\n");
}

TEST(Select, SkipAfterMakesAFunctionTheRoot) {
  EXPECT_EQ(selected("x;main;f 1\nother 2\n", {.skip_after = {"main"}}),
            "main;f 1\nother 2\n");
}

TEST(Select, BaseLeavesOutStacksWithoutIt) {
  EXPECT_EQ(selected("x;main;f 1\nother 2\n", {.base = {"main"}}),
            "main;f 1\n");
}

TEST(Select, BaseTakesARootAndALeaf) {  // inferno drops both
  EXPECT_EQ(selected("main;f 1\nx;main 2\n", {.base = {"main"}}),
            "main 2\nmain;f 1\n");
}

TEST(Select, KernelOnlyKeepsKernelFrames) {
  EXPECT_EQ(selected("a;sys_[k] 1\na;b 2\n", {.kernel_only = true}),
            "sys_[k] 1\n");
}

TEST(Select, UserOnlyGivesKernelTimeToTheCaller) {
  EXPECT_EQ(selected("a;sys_[k] 1\na;b 2\n", {.user_only = true}),
            "a 1\na;b 2\n");
}

TEST(Select, MergesDirectRecursion) {
  EXPECT_EQ(selected("a;f;f;f;g 1\na;f;g;f 2\n", {.merge_recursion = true}),
            "a;f;g 1\na;f;g;f 2\n");
}

TEST(Select, SaysWhichEventsThereAre) {
  EXPECT_THROW(select(read_text("folded", "a 1\n"), {.event = "cycles"}),
               Error);
}

TEST(Select, RefusesAPatternThatIsNone) {
  EXPECT_THROW(select(read_text("folded", "a 1\n"), {.focus = {"("}}),
               UsageError);
}

TEST(EventGroup, IsTheEventWithoutModeAndKindOfCore) {
  EXPECT_EQ(event_group("cycles:upp"), "cycles");
  EXPECT_EQ(event_group("cpu_core/cycles/u"), "cycles");
  EXPECT_EQ(event_group("cpu-clock"), "cpu-clock");
  EXPECT_EQ(event_group("sched:sched_switch"), "sched:sched_switch");
}

TEST(TimeRange, HasOpenEnds) {
  EXPECT_EQ(parse_time_range("1.5..2").from, 1.5);
  EXPECT_EQ(parse_time_range("..3").to, 3);
  EXPECT_TRUE(parse_time_range("@100..").absolute);
  EXPECT_THROW(parse_time_range("5"), UsageError);
  EXPECT_THROW(parse_time_range("3..1"), UsageError);
}

// Two stretches of a trace, of 10 and 3,000 cycles, and calls of the whole.
Profile trace_in_time() {
  Profile profile;
  profile.has_time = true;
  profile.set_about(kAboutTrace, "3,010 cycles, 7 calls");
  profile.set_about(kAboutTraceClock, "cycles");
  const EventId cycles = profile.event_id("cycles", "cycles");
  const EventId calls = profile.event_id("calls", "calls");
  const auto stack = [&](const char* name) {
    return profile.stacks.push(StackId::kRoot, profile.named_frame(name));
  };
  profile.samples = {
      {.time = 100, .weight = 10, .stack = stack("a"), .event = cycles},
      {.time = 110, .weight = 3000, .stack = stack("b"), .event = cycles},
      {.time = 3110, .weight = 7, .stack = stack("b"), .event = calls}};
  return profile;
}

TEST(Select, OfAStretchOfATraceThePartThatIsInTheTime) {
  const Profile profile =
      select(trace_in_time(),
             {.event = "cycles",
              .time = Selection::TimeRange{.from = 4e-9, .to = 2e-6}});
  EXPECT_EQ(folded(profile), "a 6\nb 1990\n");
  EXPECT_EQ(profile.samples.at(0).time, 104u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kCutCycles), 4 + 1010);
}

TEST(Select, WhatATraceCountsBesideItsClockHasNoTimes) {
  EXPECT_TRUE(select(trace_in_time(), {.event = "cycles"}).has_time);
  const Profile calls = select(trace_in_time(), {.event = "calls"});
  EXPECT_FALSE(calls.has_time);
  EXPECT_EQ(calls.samples.at(0).time, 0u);
}

// Properties, over random profiles.

TEST(Transform, KeepsTheWholeWeight) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const std::int64_t whole = whole_weight(random_profile(seed));
    for (const Selection& selection :
         {Selection{.event = "*", .hide = {"o"}},
          Selection{.event = "*", .skip_after = {"main"}},
          Selection{.event = "*", .merge_recursion = true}}) {
      const Profile profile = select(random_profile(seed), selection);
      EXPECT_EQ(check(profile), "");
      EXPECT_EQ(whole_weight(profile), whole);
    }
    const Profile focused =
        select(random_profile(seed), {.event = "*", .focus = {"main"}});
    EXPECT_EQ(whole_weight(focused) +
                  focused.diagnostics.weight(Problem::kNotSelected),
              whole);
  }
}

TEST(Transform, FoldOfAMergeIsTheSumOfTheFolds) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Profile merged = random_profile(seed);
    merge(merged, random_profile(seed + 1000));
    EXPECT_EQ(check(merged), "");
    // Folded text concatenated is a merge, too, by another way.
    const std::string text =
        folded(random_profile(seed)) + folded(random_profile(seed + 1000));
    EXPECT_EQ(folded(merged), folded(read_text("folded", text)));
  }
}

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

TEST(Transform, MergingAddsWeightsOfDifferentPrecision) {
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

}  // namespace
}  // namespace wick

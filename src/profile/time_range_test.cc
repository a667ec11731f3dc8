// SPDX-License-Identifier: Apache-2.0
#include "profile/time_range.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"

namespace wick {
namespace {

TEST(TimeRange, HasOpenEnds) {
  EXPECT_EQ(parse_time_range("1.5..2").from, 1.5);
  EXPECT_EQ(parse_time_range("..3").to, 3);
  EXPECT_TRUE(parse_time_range("@100..").absolute);
  EXPECT_THROW(parse_time_range("5"), UsageError);
  EXPECT_THROW(parse_time_range("3..1"), UsageError);
}

// A trace that spends 10 cycles in a, then 3,000 in b, and has 7 calls.
Profile trace_in_time() {
  Profile profile;
  profile.has_time = true;
  profile.is_trace = true;
  const EventId cycles = profile.event_id("cycles", "cycles");
  profile.events[cycles].time = TimeKind::kTraceClock;
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

TEST(SelectTime, CutsTheSamplesOfATraceToTheRange) {
  const Profile profile =
      select(trace_in_time(),
             {.event = "cycles", .time = TimeRange{.from = 4e-9, .to = 2e-6}});
  EXPECT_EQ(folded(profile), "a 6\nb 1990\n");
  EXPECT_EQ(profile.samples.at(0).time, 104u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kCutCycles), 4 + 1010);
}

TEST(SelectTime, OnlyTheClockOfATraceHasTimes) {
  EXPECT_TRUE(select(trace_in_time(), {.event = "cycles"}).has_time);
  const Profile calls = select(trace_in_time(), {.event = "calls"});
  EXPECT_FALSE(calls.has_time);
  EXPECT_EQ(calls.samples.at(0).time, 0u);
}

}  // namespace
}  // namespace wick

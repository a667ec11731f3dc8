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

// A thread that runs for 4 ns, waits for 10, and runs again. Its wall time on
// the CPU is one sample at its beginning.
Profile waiting_thread(std::string_view unit_on_cpu = "nanoseconds") {
  Profile profile;
  profile.has_time = true;
  const auto event = [&](std::string_view name, std::string_view unit,
                         TimeKind time) {
    const EventId id = profile.event_id(name, unit);
    profile.events[id].time = time;
    return id;
  };
  const EventId on = event("clock", unit_on_cpu, TimeKind::kOnCpu);
  const EventId off = event("offcpu-time", "nanoseconds", TimeKind::kOffCpu);
  const EventId wall = event("wall-time", "nanoseconds", TimeKind::kWall);
  const auto stack = [&](const char* name) {
    return profile.stacks.push(StackId::kRoot, profile.named_frame(name));
  };
  profile.samples = {
      {.time = 100, .weight = 4, .stack = stack("runs"), .event = on},
      {.time = 100, .weight = 8, .stack = stack("runs"), .event = wall},
      {.time = 104, .weight = 10, .stack = stack("waits"), .event = off},
      {.time = 104, .weight = 10, .stack = stack("waits"), .event = wall},
      {.time = 114, .weight = 4, .stack = stack("runs"), .event = on}};
  return profile;
}

TEST(SelectTime, CutsTimeOffTheCpuToTheRange) {
  const auto waits = [](double from, double to) {
    return folded(select(
        waiting_thread(),
        {.event = "offcpu-time", .time = TimeRange{.from = from, .to = to}}));
  };
  EXPECT_EQ(waits(5e-9, 8e-9), "waits 3\n");
  EXPECT_EQ(waits(0, 6e-9), "waits 2\n");
  EXPECT_EQ(waits(12e-9, 1), "waits 2\n");
}

TEST(SelectTime, TakesWallTimeOnTheCpuFromItsSamples) {
  const auto wall = [](double from, double to) {
    return folded(select(
        waiting_thread(),
        {.event = "wall-time", .time = TimeRange{.from = from, .to = to}}));
  };
  EXPECT_EQ(wall(0, 6e-9), "runs 4\nwaits 2\n");
  EXPECT_EQ(wall(12e-9, 1), "runs 4\nwaits 2\n");
}

TEST(SelectTime, DoesNotAddCyclesToTimeOffTheCpu) {
  EXPECT_THROW(
      select(waiting_thread("cycles"),
             {.event = "wall-time", .time = TimeRange{.from = 0, .to = 1}}),
      Error);
}

}  // namespace
}  // namespace wick

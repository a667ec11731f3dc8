// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Profile, GivesTheSameThreadForTheSameContent) {
  Profile profile;
  const ThreadId first = profile.thread_id({.pid = 1, .tid = 2});
  EXPECT_NE(profile.thread_id({.pid = 2, .tid = 1}), first);
  EXPECT_EQ(profile.thread_id({.pid = 1, .tid = 2}), first);
  EXPECT_EQ(profile.threads.size(), 3u);  // and the unknown one
}

TEST(Profile, FindsRowsThatWereAddedToTheTableItself) {
  Profile profile;
  profile.thread_id({.pid = 1});
  const ThreadId pushed = profile.threads.push_back({.pid = 7});
  EXPECT_EQ(profile.thread_id({.pid = 7}), pushed);
}

TEST(Profile, FindsAnEventWhoseDecimalsGrew) {
  Profile profile;
  const EventId event = profile.event_id("time", "ms");
  raise_decimals(profile, event, 3);
  EXPECT_EQ(profile.event_id("time", "ms"), event);
  EXPECT_NE(profile.event_id("time", "us"), event);
}

TEST(Profile, GuessesTheTimeOfEventsByTheirNames) {
  Profile profile;
  for (const char* name : {"cycles", "faults", "wall-time", "offcpu-time"})
    profile.event_id(name);
  guess_event_times(profile);
  EXPECT_EQ(profile.events[EventId{0}].time, TimeKind::kOnCpu);
  EXPECT_EQ(profile.events[EventId{1}].time, TimeKind::kNone);
  EXPECT_EQ(profile.events[EventId{2}].time, TimeKind::kWall);
  EXPECT_EQ(profile.events[EventId{3}].time, TimeKind::kOffCpu);
}

TEST(Profile, FindsOneOfManyModulesWithoutLookingAtAll) {
  Profile profile;
  for (int i = 0; i < 100'000; ++i)
    profile.module_id("/lib/" + std::to_string(i));
  EXPECT_EQ(profile.module_id("/lib/99999"), ModuleId{100'000});
}

}  // namespace
}  // namespace wick

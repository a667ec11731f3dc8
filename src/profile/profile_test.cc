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

TEST(Profile, FindsOneOfManyModulesWithoutLookingAtAll) {
  Profile profile;
  for (int i = 0; i < 100'000; ++i)
    profile.module_id("/lib/" + std::to_string(i));
  EXPECT_EQ(profile.module_id("/lib/99999"), ModuleId{100'000});
}

}  // namespace
}  // namespace wick

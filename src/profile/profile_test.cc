// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"

#include <gtest/gtest.h>

#include <string>

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

TEST(StackTable, LeavesOutWhatIsDeeperThanItHolds) {
  StackTable stacks;
  StackId stack = StackId::kRoot;
  for (std::uint32_t i = 0; i < StackTable::kMaxDepth; ++i)
    stack = stacks.push(stack, FrameId{i});
  EXPECT_FALSE(stacks.any_cut());
  EXPECT_EQ(stacks.push(stack, FrameId{7}), stack);
  EXPECT_EQ(stacks.append(stack, FrameId{8}), stack);
  EXPECT_EQ(stacks.depth(stack), StackTable::kMaxDepth);
  EXPECT_TRUE(stacks.is_cut(stack));
  EXPECT_FALSE(stacks.is_cut(stacks.parent(stack)));
}

TEST(Profile, MarksSamplesOfCutStacks) {
  Profile profile;
  const EventId event = profile.event_id("samples");
  StackId stack = StackId::kRoot;
  for (std::uint32_t i = 0; i <= StackTable::kMaxDepth; ++i) {
    stack = profile.stacks.push(stack, profile.named_frame("f"));
    if (i % 10'000 == 0 || i >= StackTable::kMaxDepth)
      profile.samples.push_back({.weight = 1, .stack = stack, .event = event});
  }
  mark_cut_stacks(profile);
  EXPECT_EQ(check(profile), "");
  EXPECT_EQ(profile.diagnostics.count(Problem::kCutStack), 1u);
  const StackId last = profile.samples.back().stack;
  EXPECT_EQ(profile.stacks.depth(last), StackTable::kMaxDepth);
  EXPECT_EQ(profile.function(profile.stacks.frame(last)), "[truncated]");
  EXPECT_EQ(profile.stacks.depth(profile.samples.front().stack), 1u);
}

TEST(StringTable, CutsWhatIsLongerThanItHoldsBetweenCharacters) {
  StringTable strings;
  const std::string long_text(StringTable::kMaxSize, 'x');
  EXPECT_EQ(strings[strings.intern(long_text)], long_text);
  EXPECT_EQ(strings.cut_count(), 0u);
  std::string umlauts;
  while (umlauts.size() <= StringTable::kMaxSize) umlauts += "ä";
  const std::string_view cut = strings[strings.intern(umlauts)];
  EXPECT_EQ(cut.size(), StringTable::kMaxSize - 1);
  EXPECT_TRUE(cut.ends_with("ä…"));
  EXPECT_EQ(strings.intern(umlauts + "ö"), strings.intern(umlauts));
  EXPECT_EQ(strings.cut_count(), 1u);
}

}  // namespace
}  // namespace wick

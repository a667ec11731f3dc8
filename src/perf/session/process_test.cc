// SPDX-License-Identifier: Apache-2.0
#include "perf/session/process.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr std::uint32_t kMany = Tasks::kKeptEnded + 10;

void live_and_end(Tasks& tasks, std::uint32_t pid) {
  tasks.fork(1, 1, pid, pid, true);
  if (tasks.exit(pid, pid) != nullptr) tasks.remove_space(pid);
}

void forget_all(Tasks& tasks) {
  while (tasks.forget_oldest()) {
  }
}

TEST(Tasks, ThreadsThatEndedLongAgoAreForgotten) {
  Tasks tasks;
  for (std::uint32_t pid = 2; pid < 2 + kMany; ++pid) live_and_end(tasks, pid);
  forget_all(tasks);
  EXPECT_EQ(tasks.find(2), nullptr);
  ASSERT_NE(tasks.find(1 + kMany), nullptr);
  EXPECT_TRUE(tasks.find(1 + kMany)->has_ended);
}

TEST(Tasks, AThreadThatLivesIsNotForgotten) {
  Tasks tasks;
  tasks.fork(1, 1, 2, 2, true);
  for (std::uint32_t pid = 3; pid < 3 + kMany; ++pid) live_and_end(tasks, pid);
  forget_all(tasks);
  EXPECT_NE(tasks.find(2), nullptr);
}

TEST(Tasks, AReusedTidIsNotForgottenWithItsFirstThread) {
  Tasks tasks;
  live_and_end(tasks, 2);
  tasks.fork(1, 1, 2, 2, true);
  for (std::uint32_t pid = 3; pid < 3 + kMany; ++pid) live_and_end(tasks, pid);
  forget_all(tasks);
  ASSERT_NE(tasks.find(2), nullptr);
  EXPECT_FALSE(tasks.find(2)->has_ended);
}

TEST(Tasks, ASpaceThatWasMadeAfterTheEndIsNamedWhenItsProcessIsForgotten) {
  Tasks tasks;
  live_and_end(tasks, 2);
  tasks.space(2);
  for (std::uint32_t pid = 3; pid < 3 + kMany; ++pid) live_and_end(tasks, pid);
  EXPECT_EQ(tasks.forget_oldest(), 2u);
  EXPECT_NE(tasks.find_space(2), nullptr);
}

// With memory for a few processes.
struct FewProcesses {
  std::shared_ptr<MemoryBudget> memory = std::make_shared<MemoryBudget>(20'000);
  Tasks tasks{memory};
};

bool map_code(Tasks& tasks, Space& space, std::uint64_t start,
              std::size_t name_size = 10) {
  const auto claim = [&] {
    return space.map.size() * (Tasks::kMappingBytes + name_size);
  };
  if (!tasks.has_room(space, name_size, claim)) return false;
  space.map.map({.start = start, .end = start + 1});
  tasks.account(space);
  return true;
}

TEST(Tasks, AProcessThatMapsTooMuchIsRefusedAndOthersAreNot) {
  FewProcesses t;
  Space& offender = t.tasks.space(1);
  for (std::uint64_t i = 0; i < 1000; ++i) map_code(t.tasks, offender, i * 2);
  EXPECT_LT(offender.map.size(), 200u);
  EXPECT_EQ(t.tasks.refused_processes(), 1u);
  EXPECT_TRUE(map_code(t.tasks, t.tasks.space(2), 0x1000));
}

TEST(Tasks, NamesCountForTheProcessThatMapsThem) {
  FewProcesses t;
  Space& offender = t.tasks.space(1);
  for (std::uint64_t i = 0; i < 100; ++i)
    map_code(t.tasks, offender, i * 2, 4000);
  EXPECT_LE(offender.map.size(), 3u);
}

TEST(Tasks, AMapThatDoesNotGrowIsNeverFull) {
  FewProcesses t;
  Space& space = t.tasks.space(1);
  for (std::uint64_t i = 0; i < 1000; ++i)
    EXPECT_TRUE(map_code(t.tasks, space, 0x1000));
}

TEST(Tasks, AProcessThatExecutesAnotherProgramMayMapAgain) {
  FewProcesses t;
  Space& space = t.tasks.space(1);
  for (std::uint64_t i = 0; i < 1000; ++i) map_code(t.tasks, space, i * 2);
  t.tasks.exec(1);
  EXPECT_TRUE(map_code(t.tasks, space, 0x1000));
}

TEST(Tasks, ProcessesWithoutEndTakeNoMoreThanTheirMemory) {
  FewProcesses t;
  for (std::uint32_t pid = 2; pid < 1000; ++pid)
    t.tasks.fork(1, 1, pid, pid, true);
  EXPECT_LE(t.memory->used(), 20'000u);
  EXPECT_GT(t.tasks.refused_processes(), 0u);
}

TEST(Tasks, EndedProcessesGiveTheirMemoryBack) {
  FewProcesses t;
  t.tasks.fork(1, 1, 2, 2, true);
  const std::uint64_t before = t.memory->used();
  map_code(t.tasks, t.tasks.space(2), 0x1000);
  EXPECT_GT(t.memory->used(), before);
  t.tasks.remove_space(2);
  EXPECT_LT(t.memory->used(), before);
}

}  // namespace
}  // namespace wick

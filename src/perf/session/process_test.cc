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

}  // namespace
}  // namespace wick

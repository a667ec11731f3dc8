// SPDX-License-Identifier: Apache-2.0
#include "base/memory_budget.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace wick {
namespace {

TEST(MemoryBudget, RefusesWhatExceedsTheLimit) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.take(100));
  EXPECT_FALSE(budget.take(1));
  EXPECT_EQ(budget.used(), 100u);
}

TEST(MemoryBudget, IsNotFooledByNumbersThatOverflow) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.take(50));
  EXPECT_FALSE(budget.take(~std::uint64_t{0} - 10));
}

TEST(MemoryBudget, WhatIsGivenBackCanBeTakenAgain) {
  MemoryBudget budget(100);
  EXPECT_TRUE(budget.take(100));
  budget.give_back(60);
  EXPECT_TRUE(budget.take(60));
}

TEST(MemoryAccount, AnOffenderIsRefusedAndOthersAreNot) {
  const auto budget = std::make_shared<MemoryBudget>(100);
  MemoryAccount offender(budget, 50), victim(budget, 50);
  EXPECT_FALSE(offender.take(60));
  EXPECT_TRUE(offender.exceeded_own_limit());
  EXPECT_TRUE(victim.take(50));
  EXPECT_FALSE(victim.was_refused());
}

TEST(MemoryAccount, DistinguishesItsOwnLimitFromThatOfAll) {
  const auto budget = std::make_shared<MemoryBudget>(100);
  MemoryAccount first(budget, 80), second(budget, 80);
  EXPECT_TRUE(first.take(80));
  EXPECT_FALSE(second.take(40));
  EXPECT_TRUE(second.exceeded_budget());
  EXPECT_FALSE(second.exceeded_own_limit());
  EXPECT_EQ(second.used(), 0u);
  EXPECT_EQ(second.available(), 20u);
}

TEST(MemoryAccount, GivesEverythingBackAtItsEnd) {
  const auto budget = std::make_shared<MemoryBudget>(100);
  {
    MemoryAccount account(budget, 100);
    EXPECT_TRUE(account.take(70));
  }
  EXPECT_EQ(budget->used(), 0u);
}

TEST(MemoryReservation, LastsAsLongAsItsOwner) {
  MemoryAccount account(nullptr, 100);
  {
    MemoryReservation outer;
    {
      MemoryReservation inner(account, 60);
      EXPECT_TRUE(inner);
      outer = std::move(inner);
    }
    EXPECT_EQ(account.used(), 60u);
    EXPECT_FALSE(MemoryReservation(account, 41));
  }
  EXPECT_EQ(account.used(), 0u);
}

TEST(MemoryBudget, ThreadsTogetherTakeNoMoreThanTheLimit) {
  MemoryBudget budget(1000);
  std::atomic<int> taken = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n)
        if (budget.take(1)) ++taken;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(taken, 1000);
}

}  // namespace
}  // namespace wick

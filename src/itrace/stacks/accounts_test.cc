// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/accounts.h"

#include <gtest/gtest.h>

#include <vector>

namespace wick {
namespace {

class AccountsTest : public testing::Test {
 protected:
  CallNodeId child(CallNodeId caller, int function, std::uint16_t place = 0) {
    return accounts_.child(caller, place, FunctionId(function), 2);
  }
  void add(CallNodeId id, std::uint64_t weight) {
    accounts_.row(id)->weight += weight;
  }
  std::uint64_t weight(CallNodeId id) const {
    return accounts_.counter(id, 0).weight;
  }

  Accounts accounts_;
  CallNodeId root_ = accounts_.root(0);
  CallNodeId main_ = child(root_, 1);
};

TEST_F(AccountsTest, WhatWasPendingIsAddedToWhereItBelongs) {
  const CallNodeId work = child(main_, 2);
  const CallNodeId trap = child(work, 3);
  add(trap, 5);
  const CallNodeId pending = accounts_.make_pending(main_, 0);
  const CallNodeId copy = child(pending, 3);
  EXPECT_NE(copy, trap);
  add(copy, 7);
  add(child(copy, 4), 1);
  accounts_[copy].calls = 1;
  accounts_.settle(pending, work, 0);
  EXPECT_EQ(weight(trap), 12u);
  EXPECT_EQ(accounts_[trap].calls, 1u);
  EXPECT_EQ(weight(child(trap, 4)), 1u);
}

TEST_F(AccountsTest, WhatStaysPendingIsWhereItWasByDefault) {
  const CallNodeId pending = accounts_.make_pending(main_, 1);
  add(child(pending, 3), 7);
  accounts_.settle_rest();
  EXPECT_EQ(weight(child(main_, 3, 1)), 7u);
}

TEST_F(AccountsTest, WhatIsPendingMayBeBelowSomethingPending) {
  const CallNodeId outer = accounts_.make_pending(root_, 0);
  const CallNodeId work = child(outer, 2);
  const CallNodeId inner = accounts_.make_pending(work, 0);
  add(child(inner, 3), 7);
  accounts_.settle(outer, main_, 0);
  accounts_.settle_rest();
  EXPECT_EQ(weight(child(child(main_, 2), 3)), 7u);
}

TEST_F(AccountsTest, NodesInUseAreReplaced) {
  const CallNodeId pending = accounts_.make_pending(root_, 0);
  CallNodeId used = child(pending, 2);
  CallNodeId* const in_use[] = {&used};
  accounts_.settle(pending, main_, 0, in_use);
  EXPECT_EQ(used, child(main_, 2));
}

TEST_F(AccountsTest, NodesAreUsedAgainUnlessTheyAreRemembered) {
  const auto settle_many = [this] {
    for (int i = 0; i < 100; ++i) {
      const CallNodeId pending = accounts_.make_pending(main_, 0);
      child(child(pending, 2), 3);
      accounts_.settle(pending);
    }
  };
  settle_many();
  EXPECT_LT(accounts_.size(), 12u);
  accounts_.keep_moved();
  const CallNodeId pending = accounts_.make_pending(main_, 0);
  const CallNodeId moved = child(pending, 2);
  accounts_.settle(pending);
  settle_many();
  EXPECT_EQ(accounts_.resolved(moved), child(main_, 2));
}

TEST_F(AccountsTest, AThreadGetsWhatAnotherCollected) {
  const CallNodeId work = child(main_, 2, 1);
  add(work, 5);
  const CallNodeId other = child(child(accounts_.root(1), 1), 2, 1);
  add(other, 7);
  accounts_[other].calls = 3;
  add(child(other, 3), 1);
  accounts_.merge_threads(std::vector<std::uint32_t>{0, 0});
  EXPECT_EQ(weight(work), 12u);
  EXPECT_EQ(accounts_[work].calls, 3u);
  EXPECT_EQ(weight(child(work, 3)), 1u);
}

TEST_F(AccountsTest, AThreadThatWasMergedMayBeginAgain) {
  add(child(child(accounts_.root(1), 1), 2), 7);
  accounts_.merge_threads(std::vector<std::uint32_t>{0, 0});
  const CallNodeId again = child(child(accounts_.root(1), 1), 2);
  EXPECT_EQ(accounts_[again].thread, 1u);
  EXPECT_EQ(weight(again), 0u);
}

TEST_F(AccountsTest, NodesOfMergedThreadsAreUsedAgain) {
  std::vector<std::uint32_t> heirs = {0};
  for (std::uint32_t thread = 1; thread < 100; ++thread) {
    heirs.push_back(0);
    add(child(child(accounts_.root(thread), 1), 2), 7);
    accounts_.merge_threads(heirs);
  }
  EXPECT_EQ(accounts_.in_use(), 4u);  // row 0, root(0), main, work
  EXPECT_LT(accounts_.size(), 10u);
  EXPECT_EQ(weight(child(main_, 2)), 99u * 7);
}

TEST_F(AccountsTest, AThreadWithSomethingPendingIsNotMerged) {
  const CallNodeId pending = accounts_.make_pending(accounts_.root(1), 0);
  add(child(pending, 3), 7);
  const std::vector<std::uint32_t> heirs = {0, 0};
  accounts_.merge_threads(heirs);
  accounts_.settle_rest();
  EXPECT_EQ(weight(child(accounts_.root(1), 3)), 7u);
  accounts_.merge_threads(heirs);
  EXPECT_EQ(weight(child(root_, 3)), 7u);
}

}  // namespace
}  // namespace wick

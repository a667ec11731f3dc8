// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/accounts.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "server/store/steps.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

void expect_steps(std::int64_t from, std::int64_t to, std::int64_t step,
                  std::int64_t first, std::int64_t end) {
  const Steps steps = steps_of(from, to, step);
  EXPECT_EQ(steps.first_ns, first) << from << " to " << to;
  EXPECT_EQ(steps.end_ns, end) << from << " to " << to;
}

TEST(Steps, OfASecondThatIsNotExactIsTheOneItIsIn) {
  expect_steps(3000, 4000, 1000, 3000, 4000);
  expect_steps(3002, 4003, 1000, 3000, 4000);
  expect_steps(2999, 3999, 1000, 3000, 4000);
}

TEST(Steps, AreNotLeftOutWhenASecondWasLate) {
  expect_steps(3000, 4800, 1000, 3000, 5000);
  expect_steps(4800, 6000, 1000, 5000, 6000);
}

TEST(Steps, AreAllOfThoseThatALongSumCovers) {
  expect_steps(10'001, 20'002, 1000, 10'000, 20'000);
}

TEST(Steps, OfAShortTimeAreTheOneAroundIt) {
  expect_steps(20'000, 30'000, 60'000, 0, 60'000);
  expect_steps(30'000, 40'001, 60'000, 0, 60'000);
  expect_steps(-10'000, 0, 60'000, -60'000, 0);
}

}  // namespace
}  // namespace wick

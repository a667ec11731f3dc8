// SPDX-License-Identifier: Apache-2.0
#include "agent/own_cost.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wick {
namespace {

TEST(OwnCost, IsTheTimeAndMemoryOfAProcess) {
  HostMetrics metrics;
  add_own_cost(::getpid(), "recorder", metrics);
  ASSERT_EQ(metrics.values.size(), 2);
  EXPECT_EQ(metrics.values[0].metric, Metric::kWickCpu);
  EXPECT_EQ(metrics.values[0].label, "recorder");
  EXPECT_GT(metrics.values[0].value, 0);
  EXPECT_EQ(metrics.values[1].metric, Metric::kWickMemory);
  EXPECT_GT(metrics.values[1].value, 1 << 20);
}

TEST(OwnCost, OfAProcessThatHasEndedIsNothing) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  HostMetrics metrics;
  add_own_cost(child, "server", metrics);
  EXPECT_TRUE(metrics.values.empty());
}

}  // namespace
}  // namespace wick

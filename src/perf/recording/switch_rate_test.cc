// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/switch_rate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "builders/fake_system.h"

namespace wick {
namespace {

void show(FakeSystem& system, int tid, int switches) {
  system.file(fmt::format("/proc/7/task/{}/status", tid),
              fmt::format("Tgid:\t7\nPPid:\t1\nvoluntary_ctxt_switches:\t{}\n"
                          "nonvoluntary_ctxt_switches:\t1\n",
                          switches));
}

TEST(SwitchRate, OfThreadsThatSleepIsZero) {
  FakeSystem system;
  show(system, 7, 100);
  const SwitchRate rate({.processes = {7}}, system.paths);
  EXPECT_EQ(rate.measured().per_second, 0);
  EXPECT_EQ(rate.measured().threads, 1u);
}

TEST(SwitchRate, SomeThreadsStandForAll) {
  FakeSystem system;
  for (int tid = 7; tid < 7 + 960; ++tid) show(system, tid, 0);
  const SwitchRate rate({.processes = {7}}, system.paths);
  const auto begin = std::chrono::steady_clock::now();
  for (int tid = 7; tid < 7 + 960; ++tid) show(system, tid, 10);
  const SwitchLoad load = rate.measured();
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  // The time that it measured is longer than that between the two lines above.
  EXPECT_EQ(load.threads, 960u);
  EXPECT_GT(load.per_second, 0);
  EXPECT_LE(load.per_second * elapsed.count(), 9600);
}

TEST(SwitchRate, ThreadsOfAKindDoNotStandForOthers) {
  for (const int period : {2, 3, 4, 5, 8}) {
    FakeSystem system;
    for (int tid = 0; tid < 960; ++tid) show(system, 7 + tid, 0);
    const SwitchRate rate({.processes = {7}}, system.paths);
    for (int tid = 1; tid < 960; tid += period) show(system, 7 + tid, 10);
    EXPECT_GT(rate.measured().per_second, 0);
  }
}

TEST(SwitchRate, OfTheMachineIsInStat) {
  EXPECT_EQ(parse_machine_switches("cpu 1 2\nintr 5 6\nctxt 123456\nbtime 1\n"),
            123'456u);
  EXPECT_EQ(parse_machine_switches("cpu 1 2\n"), 0u);
  EXPECT_EQ(parse_machine_switches("ctxt x\n"), 0u);
}

}  // namespace
}  // namespace wick

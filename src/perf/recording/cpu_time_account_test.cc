// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/cpu_time_account.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

constexpr std::uint64_t kMs = 1'000'000, kSecond = 1000 * kMs;

CpuTimes ran(std::uint64_t counted, std::uint64_t samples) {
  return {.counted = counted,
          .sampled = samples * kMs,
          .samples = samples,
          .period = kMs,
          .tasks = 1};
}

TEST(MissingTime, WithinTheErrorOfSamplingIsNone) {
  EXPECT_EQ(missing_beyond_chance(ran(kSecond, 1000)), 0u);
  EXPECT_EQ(missing_beyond_chance(ran(kSecond, 920)), 0u);
  EXPECT_EQ(missing_beyond_chance(ran(100 * kMs, 75)), 0u);
  EXPECT_EQ(missing_beyond_chance(ran(2 * kMs, 0)), 0u);
}

TEST(MissingTime, BeyondItIsAll) {
  EXPECT_EQ(missing_beyond_chance(ran(kSecond, 800)), 200 * kMs);
  EXPECT_EQ(missing_beyond_chance(ran(900 * kMs, 240)), 660 * kMs);
  EXPECT_EQ(missing_beyond_chance(ran(kSecond, 0)), kSecond);
}

TEST(MissingTime, OfLongProgramsIsNotableFromATwentieth) {
  EXPECT_EQ(missing_beyond_chance(ran(100 * kSecond, 96'000)), 0u);
  EXPECT_EQ(missing_beyond_chance(ran(100 * kSecond, 94'000)), 6 * kSecond);
}

TEST(MissingTime, MoreSamplesThanTimeMissNothing) {
  EXPECT_EQ(missing_beyond_chance(ran(kSecond, 1500)), 0u);
}

TEST(MissingTime, LostSamplesAreReportedElsewhere) {
  CpuTimes times = ran(kSecond, 500);
  times.lost = 480;
  EXPECT_EQ(missing_beyond_chance(times), 0u);
}

TEST(MissingTime, InTheKernelIsNotMissedByThoseWhoDoNotWantIt) {
  CpuTimes times = ran(kSecond, 300);
  times.is_user_only = true;
  EXPECT_EQ(missing_beyond_chance(times), 700 * kMs);
  times.is_kernel_wanted = false;
  EXPECT_EQ(missing_beyond_chance(times), 0u);
  times.tasks = 400;  // may have lost a millisecond each
  EXPECT_EQ(missing_beyond_chance(times), 400 * kMs);
}

std::vector<std::string> notes(const CpuTimes& times) {
  Diagnostics diagnostics;
  note_unsampled(times, diagnostics);
  return describe(diagnostics);
}

TEST(UnsampledTime, OfManyShortTasksIsTheirs) {
  CpuTimes times = ran(900 * kMs, 240);
  times.tasks = 1000;
  EXPECT_EQ(notes(times).at(0),
            "660 ms of CPU time was not sampled: processes or threads ended "
            "before their first sample (73% of 900 ms); record as root or "
            "after `sudo sysctl kernel.perf_event_paranoid=0` to sample all of "
            "it");
}

TEST(UnsampledTime, OfChildrenOfWhatRanAlreadyIsSampledWithTheMachine) {
  CpuTimes times = ran(900 * kMs, 240);
  times.tasks = 1000;
  times.is_attached = true;
  EXPECT_EQ(notes(times).at(0),
            "660 ms of CPU time was not sampled: processes or threads ended "
            "before their first sample (73% of 900 ms); recording the whole "
            "machine (-a) samples all of it");
}

TEST(UnsampledTime, OfAProgramThatMayNotBeSampledNeedNotBeMuch) {
  CpuTimes times{.period = kMs, .tasks = 1, .used = 4 * kMs};
  EXPECT_TRUE(notes(times).empty());
  times.is_refused = true;
  EXPECT_EQ(notes(times).at(0),
            "4.00 ms of CPU time was spent in programs that the kernel does "
            "not let you sample, because they are setuid, have file "
            "capabilities, or you may not read them (100% of 4.00 ms); record "
            "as root");
}

TEST(UnsampledTime, ThatNoAgeExplainsHasNoReason) {
  CpuTimes times = ran(900 * kMs, 240);
  EXPECT_EQ(notes(times).at(0),
            "660 ms of CPU time was not sampled (73% of 900 ms)");
  times.tasks = 1000;
  times.is_by_cpu = true;
  EXPECT_EQ(notes(times).at(0),
            "660 ms of CPU time was not sampled (73% of 900 ms)");
}

TEST(UnsampledTime, ThatWasNotEvenCountedMayNotBeSampled) {
  CpuTimes times = ran(300 * kMs, 300);
  times.used = 600 * kMs;
  EXPECT_EQ(notes(times).at(0),
            "300 ms of CPU time was spent in programs that the kernel does not "
            "let you sample, because they are setuid, have file capabilities, "
            "or you may not read them (50% of 600 ms); record as root");
}

TEST(UnsampledTime, WhileTasksEndIsNoRefusal) {
  CpuTimes times = ran(900 * kMs, 1000);
  times.used = kSecond;
  times.tasks = 1500;
  times.is_by_cpu = true;
  EXPECT_TRUE(notes(times).empty());
}

TEST(UnsampledTime, OfCountersIsAShareOfTheTimeUsed) {
  CpuTimes times{.counted = 3'000'000'000,
                 .sampled = 1'000'000'000,
                 .samples = 1000,
                 .tasks = 1,
                 .used = kSecond,
                 .is_time = false};
  EXPECT_EQ(notes(times).at(0),
            "667 ms of CPU time was not sampled (67% of 1.00 s)");
  Diagnostics diagnostics;
  note_unsampled(times, diagnostics);
  EXPECT_EQ(diagnostics.entries().at(0).whole, kSecond);
}

}  // namespace
}  // namespace wick

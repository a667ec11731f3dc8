// SPDX-License-Identifier: Apache-2.0
#include "host/host_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kOneSecond = 1'000'000'000;

TEST(HostMetrics, ACounterBecomesItsGrowthPerSecond) {
  const HostMetrics before{.boot_ns = 10 * kOneSecond,
                           .values = {{Metric::kForks, "", 100}}};
  const HostMetrics now{.boot_ns = 12 * kOneSecond,
                        .values = {{Metric::kForks, "", 130}}};
  EXPECT_THAT(rates(before, now),
              ElementsAre(MetricValue{Metric::kForks, "", 15}));
}

TEST(HostMetrics, AGaugeIsWhatItIsNow) {
  const HostMetrics now{.boot_ns = kOneSecond,
                        .values = {{Metric::kLoad1, "", 0.5}}};
  EXPECT_THAT(rates({}, now),
              ElementsAre(MetricValue{Metric::kLoad1, "", 0.5}));
}

TEST(HostMetrics, ADiskThatIsNewHasNoRateYet) {
  const HostMetrics before{.values = {{Metric::kDiskReads, "sda", 1}}};
  const HostMetrics now{.boot_ns = kOneSecond,
                        .values = {{Metric::kDiskReads, "sdb", 9}}};
  EXPECT_THAT(rates(before, now), IsEmpty());
}

TEST(HostMetrics, ACounterThatBeganAgainHasNoRate) {
  const HostMetrics before{.values = {{Metric::kDiskReads, "sda", 9}}};
  const HostMetrics now{.boot_ns = kOneSecond,
                        .values = {{Metric::kDiskReads, "sda", 2}}};
  EXPECT_THAT(rates(before, now), IsEmpty());
}

TEST(HostMetrics, WithoutTimeInBetweenThereIsNoRate) {
  const HostMetrics before{.values = {{Metric::kForks, "", 1}}};
  const HostMetrics now{.values = {{Metric::kForks, "", 2}}};
  EXPECT_THAT(rates(before, now), IsEmpty());
}

TEST(HostMetrics, ADiskThatIsGoneDoesNotDisturbTheOthers) {
  const HostMetrics before{.values = {{Metric::kDiskReads, "sda", 1},
                                      {Metric::kDiskReads, "sdb", 2},
                                      {Metric::kDiskReads, "sdc", 3}}};
  const HostMetrics now{.boot_ns = kOneSecond,
                        .values = {{Metric::kDiskReads, "sda", 2},
                                   {Metric::kDiskReads, "sdc", 7}}};
  EXPECT_THAT(rates(before, now),
              ElementsAre(MetricValue{Metric::kDiskReads, "sda", 1},
                          MetricValue{Metric::kDiskReads, "sdc", 4}));
}

TEST(Metrics, HaveDifferentNames) {
  for (std::size_t i = 0; i < kMetrics; ++i) {
    const auto metric = static_cast<Metric>(i);
    EXPECT_EQ(metric_named(info(metric).name), metric);
  }
  EXPECT_EQ(metric_named("cpu.nothing"), std::nullopt);
}

}  // namespace
}  // namespace wick

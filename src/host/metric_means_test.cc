// SPDX-License-Identifier: Apache-2.0
#include "host/metric_means.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MetricMeans, AMeanIsOfTheTimeThatEachValueStandsFor) {
  MetricMeans means;
  means.add({{Metric::kForks, "", 10}}, 1);
  means.add({{Metric::kForks, "", 40}}, 2);
  EXPECT_THAT(means.take(),
              ElementsAre(MetricSummary{Metric::kForks, "", 30, 40}));
}

TEST(MetricMeans, LabelsAreKeptApart) {
  MetricMeans means;
  means.add({{Metric::kDiskReads, "sdb", 1}, {Metric::kDiskReads, "sda", 3}},
            1);
  EXPECT_THAT(means.take(),
              ElementsAre(MetricSummary{Metric::kDiskReads, "sda", 3, 3},
                          MetricSummary{Metric::kDiskReads, "sdb", 1, 1}));
}

TEST(MetricMeans, TakingBeginsAnew) {
  MetricMeans means;
  means.add({{Metric::kForks, "", 10}}, 1);
  means.take();
  EXPECT_THAT(means.take(), IsEmpty());
}

TEST(MetricMeans, ValuesOfNoTimeDoNotCount) {
  MetricMeans means;
  means.add({{Metric::kForks, "", 10}}, 0);
  EXPECT_THAT(means.take(), IsEmpty());
}

}  // namespace
}  // namespace wick

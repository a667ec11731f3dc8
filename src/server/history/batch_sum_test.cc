// SPDX-License-Identifier: Apache-2.0
#include "server/history/batch_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders/batch_builder.h"
#include "builders/batch_times.h"

namespace wick {
namespace {

using testing::ElementsAre;

// The batch of one second.
BatchBuilder second(std::uint64_t sequence, std::int64_t at) {
  BatchBuilder builder(sequence);
  builder.second(kTen + at * kSecond);
  return builder;
}

TEST(BatchSum, IsOfTheTenSecondsInWhichItsBatchesBegin) {
  BatchSum sum;
  for (const std::uint64_t i : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    EXPECT_FALSE(sum.add(second(i, static_cast<std::int64_t>(i) - 1).batch()));
    EXPECT_FALSE(sum.take_complete());
  }
  EXPECT_FALSE(sum.add(second(10, 9).batch()));
  const auto ten = sum.take_complete();
  ASSERT_TRUE(ten);
  EXPECT_EQ(ten->from_ns, kTen);
  EXPECT_EQ(ten->to_ns, kTen + 10 * kSecond);
  EXPECT_FALSE(sum.take());
}

TEST(BatchSum, StandsForTheNumbersOfItsBatches) {
  BatchSum sum;
  sum.add(second(4, 0).batch());
  sum.add(second(7, 3).batch());  // 5 and 6 were lost
  const auto both = sum.take();
  EXPECT_EQ(both->sequence, 7u);
  EXPECT_EQ(both->numbers, 4u);
}

TEST(BatchSum, EndsWhenABatchBelongsElsewhere) {
  BatchSum sum;
  sum.add(second(1, 3).batch());
  const auto before = sum.add(second(2, 12).batch());
  ASSERT_TRUE(before);
  EXPECT_EQ(before->sequence, 1u);
  EXPECT_EQ(sum.take()->sequence, 2u);
}

TEST(BatchSum, EndsWhenTheClockIsSetBack) {
  BatchSum sum;
  sum.add(second(1, 5).batch());
  EXPECT_TRUE(sum.add(second(2, 4).batch()));
}

TEST(BatchSum, EndsWithItsAgent) {
  BatchSum sum;
  sum.add(second(1, 5).batch());
  Batch other = second(2, 6).batch();
  other.agent = "another";
  EXPECT_TRUE(sum.add(std::move(other)));
}

TEST(BatchSum, AddsWeightsAndCounts) {
  BatchSum sum;
  for (const std::uint64_t i : {1, 2}) {
    Batch batch =
        second(i, static_cast<std::int64_t>(i)).sample("a;f", 35).batch();
    batch.profile.sample_counts = {5};
    sum.add(std::move(batch));
  }
  const auto both = sum.take();
  ASSERT_EQ(both->profile.samples.size(), 1u);
  EXPECT_EQ(both->profile.samples[0].weight, 70);
  EXPECT_THAT(both->profile.sample_counts, ElementsAre(10));
}

TEST(BatchSum, HasMeansOfTheTimeForWhichTheyAreKnown) {
  BatchSum sum;
  sum.add(second(1, 0).metric("cpu.user", "0", 1, 1).batch());
  sum.add(second(2, 1)
              .metric("cpu.user", "0", 4, 5)
              .metric("load.1", "", 3, 3)
              .batch());
  const auto both = sum.take();
  EXPECT_THAT(both->metrics, ElementsAre(BatchMetric{"cpu.user", "0", 2.5, 5},
                                         BatchMetric{"load.1", "", 3, 3}));
}

TEST(BatchSum, HasProcessesAndLossesOfAllItsBatches) {
  BatchSum sum;
  sum.add(second(1, 0).process(1, "init").loss("no memory", 2).batch());
  sum.add(second(2, 1)
              .process(1, "init", "/a")
              .process(2, "cat")
              .loss("no memory", 3)
              .loss("too late", 1)
              .batch());
  const auto both = sum.take();
  EXPECT_THAT(both->processes, ElementsAre(BatchProcess{1, "init", "/a", ""},
                                           BatchProcess{2, "cat", "", ""}));
  EXPECT_THAT(both->losses,
              ElementsAre(Loss{"no memory", 5}, Loss{"too late", 1}));
}

TEST(BatchSum, HasTheMeanOfAProcessThatWasAmongTheBusiestTwice) {
  BatchSum sum;
  Batch first = second(1, 0).batch(), last = second(6, 5).batch();
  first.busiest = {
      {.seconds = 6, .pid = 1, .name = "cat", .cpu = 1, .resident_bytes = 10}};
  last.busiest = {
      {.seconds = 2, .pid = 1, .name = "cat", .cpu = 2, .resident_bytes = 30}};
  sum.add(std::move(first));
  sum.add(std::move(last));
  const auto both = sum.take();
  ASSERT_EQ(both->busiest.size(), 1u);
  EXPECT_EQ(both->busiest[0].cpu, 1.25);
  EXPECT_EQ(both->busiest[0].seconds, 8);
  EXPECT_EQ(both->busiest[0].resident_bytes, 30u);
}

}  // namespace
}  // namespace wick

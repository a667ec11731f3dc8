// SPDX-License-Identifier: Apache-2.0
#include "server/history/recent.h"

#include <gtest/gtest.h>

#include "builders/batch_builder.h"
#include "builders/batch_times.h"

namespace wick {
namespace {

void add(Recent& recent, std::int64_t at) {
  const Batch batch = BatchBuilder(1)
                          .second(kTen + at * kSecond)
                          .metric("load.1", "", static_cast<double>(at), 0)
                          .batch();
  recent.add(batch, encode(batch));
}

using Seconds = std::pair<std::int64_t, std::int64_t>;
Seconds seconds(const TimeSpan& span) {
  return {(span.from_ns - kTen) / kSecond, (span.to_ns - kTen) / kSecond};
}
bool is_empty(const TimeSpan& span) { return span.from_ns >= span.to_ns; }

TEST(Recent, GivesTheSecondsThatBeginInASpan) {
  Recent recent;
  for (const std::int64_t at : {3, 4, 5, 6}) add(recent, at);
  const auto part = recent.seconds("box", span(4, 6));
  EXPECT_EQ(seconds(part.span), Seconds(4, 6));
  ASSERT_EQ(part.items.size(), 2u);
  EXPECT_EQ(part.items[0]->mean[0], 4);
  EXPECT_EQ(recent.batches("box", span(4, 6)).items.size(), 2u);
}

TEST(Recent, SaysWhatItHasOfASpan) {
  Recent recent;
  for (const std::int64_t at : {3, 4, 5, 6}) add(recent, at);
  EXPECT_EQ(seconds(recent.seconds("box", span(0, 100)).span), Seconds(3, 7));
  EXPECT_TRUE(is_empty(recent.seconds("box", span(10, 20)).span));
  EXPECT_TRUE(is_empty(recent.seconds("other", span(0, 100)).span));
}

// The store has sums of ten seconds, which are either here or there.
TEST(Recent, BeginsWithASumOnceOldSecondsHaveGone) {
  Recent recent({.metrics_ns = 15 * kSecond});
  for (std::int64_t at = 3; at < 40; ++at) add(recent, at);
  EXPECT_EQ(seconds(recent.seconds("box", span(0, 100)).span), Seconds(30, 40));
}

TEST(Recent, KeepsProfilesForLessTimeThanMetrics) {
  Recent recent({.profiles_ns = 10 * kSecond, .metrics_ns = 30 * kSecond});
  for (std::int64_t at = 0; at < 40; ++at) add(recent, at);
  EXPECT_EQ(recent.batches("box", span(0, 100)).items.size(), 10u);
  EXPECT_EQ(recent.seconds("box", span(0, 100)).items.size(), 30u);
}

TEST(Recent, KeepsNoMoreThanItsBytes) {
  Recent recent({.profile_bytes = 1});
  add(recent, 0);
  add(recent, 10);
  EXPECT_EQ(recent.batches("box", span(0, 100)).items.size(), 1u);
}

TEST(Recent, ForgetsTheTimeThatIsYetToComeWhenTheClockIsSetBack) {
  Recent recent;
  add(recent, 3600);
  add(recent, 0);
  EXPECT_EQ(seconds(recent.seconds("box", span(0, 10'000)).span),
            Seconds(0, 1));
}

TEST(Recent, StoresNamesOfMetricsOnceWhileTheyStayTheSame) {
  Recent recent;
  add(recent, 0);
  add(recent, 1);
  const auto part = recent.seconds("box", span(0, 10));
  EXPECT_EQ(part.items[0]->names, part.items[1]->names);
}

TEST(Recent, KnowsTheLastSecondOfEachHost) {
  Recent recent;
  EXPECT_EQ(recent.last("box"), nullptr);
  add(recent, 0);
  add(recent, 1);
  EXPECT_EQ(recent.last("box")->mean[0], 1);
}

}  // namespace
}  // namespace wick

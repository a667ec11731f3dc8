// SPDX-License-Identifier: Apache-2.0
#include "transform/confidence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Confidence, KnowsTheUsualQuantiles) {
  EXPECT_NEAR(normal_quantile(95), 1.959964, 1e-5);
  EXPECT_NEAR(normal_quantile(99), 2.575829, 1e-5);
  EXPECT_NEAR(normal_quantile(50), 0.674490, 1e-5);
}

TEST(Confidence, WilsonGivesThePublishedExample) {
  // Newcombe 1998 (Interval estimation for the difference between independent
  // proportions), 81 of 263.
  const Interval i = wilson_interval({81.0 / 263, 263}, normal_quantile(95));
  EXPECT_NEAR(i.low, 0.2553, 5e-5);
  EXPECT_NEAR(i.high, 0.3662, 5e-5);
}

TEST(Confidence, NewcombeGivesThePublishedExample) {
  // The same paper, method 10, case (a): 56/70 against 48/80.
  const Interval i = difference_interval({48.0 / 80, 80}, {56.0 / 70, 70},
                                         normal_quantile(95));
  EXPECT_NEAR(i.low, 0.0524, 5e-5);
  EXPECT_NEAR(i.high, 0.3339, 5e-5);
}

TEST(Confidence, NothingSeenIsNotNothingThere) {
  const Interval i = wilson_interval({0, 100}, normal_quantile(95));
  EXPECT_EQ(i.low, 0);
  EXPECT_NEAR(i.high, 0.037, 1e-3);
}

TEST(Confidence, WithoutSamplesEverythingIsPossible) {
  const Interval i = difference_interval({0, 0}, {0, 0}, 1.96);
  EXPECT_EQ(i.low, -1);
  EXPECT_EQ(i.high, 1);
}

TEST(EffectiveSamples, AreTheSumOfCountsInFoldedStacks) {
  EXPECT_EQ(
      effective_samples(read_text("folded", "a 30\nb 70\n"), EventRole::kPlain),
      100);
}

TEST(EffectiveSamples, AreKeptApartInADifference) {
  const Profile profile = read_text("folded", "a 30 5\nb 70 6\n");
  EXPECT_EQ(effective_samples(profile, EventRole::kBefore), 100);
  EXPECT_EQ(effective_samples(profile, EventRole::kAfter), 11);
}

TEST(EffectiveSamples, OfDecimalsAreByValue) {
  // (2.5 + 2.5 + 5)² / (2.5² + 2.5² + 5²)
  EXPECT_NEAR(effective_samples(read_text("folded", "a 2.5\nb 2.5\nc 5\n"),
                                EventRole::kPlain),
              100 / 37.5, 1e-12);
}

Profile timed_samples(const std::vector<std::int64_t>& weights) {
  Profile profile;
  profile.has_time = true;
  const EventId event = profile.event_id("cycles");
  for (const std::int64_t weight : weights)
    profile.samples.push_back({.weight = weight, .event = event});
  return profile;
}

TEST(EffectiveSamples, DoNotGrowWithThePeriod) {
  const std::vector<std::int64_t> weights(50, 250'000);
  EXPECT_NEAR(effective_samples(timed_samples(weights), EventRole::kPlain), 50,
              1e-9);
}

TEST(EffectiveSamples, AreAsManyIfTheyWereAddedUp) {
  Profile profile = timed_samples({30 * 250'000, 20 * 250'000});
  profile.has_time = false;
  profile.sample_counts = {30, 20};
  EXPECT_NEAR(effective_samples(profile, EventRole::kPlain), 50, 1e-9);
}

TEST(EffectiveSamples, AreFewerWhereWeightsDiffer) {
  EXPECT_NEAR(
      effective_samples(timed_samples({1, 1, 1, 1, 96}), EventRole::kPlain),
      10000.0 / 9220, 1e-9);
}

// Draws samples that hit a function with a known probability.
class Sampler {
 public:
  explicit Sampler(std::uint32_t seed) : random_(seed) {}

  // `uneven`: weights differ widely, as periods of an adapting frequency do.
  Proportion draw(double share, int count, bool uneven) {
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<std::int64_t> weights;
    double hits = 0, sum = 0;
    for (int i = 0; i < count; ++i) {
      const double size = uneven ? -std::log(1 - uniform(random_)) : 1;
      weights.push_back(1 + static_cast<std::int64_t>(100'000 * size));
      sum += static_cast<double>(weights.back());
      if (uniform(random_) < share) hits += static_cast<double>(weights.back());
    }
    return {hits / sum,
            effective_samples(timed_samples(weights), EventRole::kPlain)};
  }

  // How often, in percent, the true difference lies in the 95 % interval.
  double coverage(double before, double after, int count, bool uneven,
                  double size_factor = 1) {
    constexpr int kDraws = 2000;
    int inside = 0;
    for (int i = 0; i < kDraws; ++i) {
      Proportion b = draw(before, count, uneven);
      Proportion a = draw(after, count, uneven);
      b.samples *= size_factor;
      a.samples *= size_factor;
      const Interval seen = difference_interval(b, a, normal_quantile(95));
      const double truth = after - before;
      inside += seen.low <= truth && truth <= seen.high;
    }
    return 100.0 * inside / kDraws;
  }

 private:
  std::mt19937 random_;
};

TEST(Confidence, TheTrueDifferenceIsInNinetyFiveOfAHundredIntervals) {
  Sampler sampler(20261115);
  for (const auto& [before, after] :
       {std::pair{0.10, 0.13}, {0.40, 0.35}, {0.05, 0.05}, {0.02, 0.06}}) {
    const double coverage = sampler.coverage(before, after, 500, false);
    EXPECT_GT(coverage, 93) << before << " to " << after;
    EXPECT_LT(coverage, 97) << before << " to " << after;
  }
}

TEST(Confidence, TheSameHoldsForUnevenWeights) {
  Sampler sampler(7);
  const double coverage = sampler.coverage(0.20, 0.25, 500, true);
  EXPECT_GT(coverage, 93);
  EXPECT_LT(coverage, 97);
}

TEST(Confidence, CountingUnevenSamplesAsEvenWouldPromiseTooMuch) {
  // Exponential weights are worth half their number: twice the size undoes
  // Kish's correction, and the check above notices.
  Sampler sampler(7);
  EXPECT_LT(sampler.coverage(0.20, 0.25, 500, true, 2), 90);
}

}  // namespace
}  // namespace wick

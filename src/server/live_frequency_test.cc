// SPDX-License-Identifier: Apache-2.0
#include "server/live_frequency.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

using namespace std::chrono_literals;
using Time = LiveFrequency::Time;

TEST(LiveFrequency, IsTheUsualOneWhileNobodyWatches) {
  LiveFrequency frequency(19, 99);
  EXPECT_EQ(frequency.at(0, Time(1s)), 19);
}

TEST(LiveFrequency, RisesForTheFirstWatcher) {
  LiveFrequency frequency(19, 99);
  EXPECT_EQ(frequency.at(1, Time(1s)), 99);
}

TEST(LiveFrequency, FallsTenSecondsAfterTheLastOne) {
  LiveFrequency frequency(19, 99);
  frequency.at(1, Time(1s));
  EXPECT_EQ(frequency.at(0, Time(10s)), 99);
  EXPECT_EQ(frequency.at(0, Time(11s)), 19);
}

}  // namespace
}  // namespace wick

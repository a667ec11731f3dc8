// SPDX-License-Identifier: Apache-2.0
#include "perf/session/lost_records.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

using Gap = LostRecords::Gap;

TEST(LostRecords, AreMissingSinceTheLastRecordOfTheirCpu) {
  LostRecords lost;
  lost.on_record(100, 0);
  lost.on_record(140, 1);
  lost.on_lost(150, 0);
  EXPECT_EQ(lost.between(0, 200, 0), (Gap{100, 150}));
  EXPECT_EQ(lost.between(0, 200, 1), std::nullopt);
  EXPECT_EQ(lost.between(0, 200), (Gap{100, 150}));
}

TEST(LostRecords, AreLookedForBetweenTwoTimes) {
  LostRecords lost;
  lost.on_record(100, 0);
  lost.on_lost(150, 0);
  EXPECT_EQ(lost.between(50, 100, 0), std::nullopt);
  EXPECT_EQ(lost.between(150, 200, 0), std::nullopt);
  EXPECT_EQ(lost.between(110, 120, 0), (Gap{110, 120}));
}

TEST(LostRecords, OfSeveralLossesTheGapIsFromTheFirstToTheLast) {
  LostRecords lost;
  lost.on_record(100, 0);
  lost.on_lost(110, 0);
  lost.on_record(120, 1);
  lost.on_lost(130, 1);
  lost.on_record(140, 0);
  lost.on_lost(150, 0);
  EXPECT_EQ(lost.between(0, 200, 0), (Gap{100, 150}));
  EXPECT_EQ(lost.between(0, 200, 0, 1), (Gap{100, 130}));
  EXPECT_EQ(lost.between(0, 145), (Gap{100, 145}));
}

TEST(LostRecords, ACpuMayHaveLostWhatItHasNotToldYet) {
  LostRecords lost;
  lost.on_record(100, 0);
  EXPECT_EQ(lost.between(50, 200, 0), std::nullopt);
  EXPECT_EQ(lost.between(50, 200, 0, 1), (Gap{100, 200}));
}

TEST(LostRecords, WithoutACpuAnythingBeforeMayBeMissing) {
  LostRecords lost;
  lost.on_record(100, LostRecords::kNoCpu);
  lost.on_lost(150, LostRecords::kNoCpu);
  EXPECT_EQ(lost.between(20, 200, 3), (Gap{20, 150}));
}

TEST(LostRecords, AtTheEndAreMissingSinceTheLastRecordOfEachCpu) {
  LostRecords lost;
  lost.on_record(100, 0);
  lost.on_record(160, 1);
  lost.on_lost_end(200);
  EXPECT_EQ(lost.between(0, 300, 0), (Gap{100, 200}));
  EXPECT_EQ(lost.between(0, 300, 1), (Gap{160, 200}));
}

TEST(LostRecords, OldLossesAreForgotten) {
  LostRecords lost;
  lost.on_lost(10, 0);
  lost.on_record(20, 0);
  lost.on_lost(30, 0);
  lost.forget_before(15);
  EXPECT_EQ(lost.between(0, 100), (LostRecords::Gap{20, 30}));
  EXPECT_EQ(lost.between(0, 100, 0), (LostRecords::Gap{20, 30}));
}

}  // namespace
}  // namespace wick

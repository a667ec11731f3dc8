// SPDX-License-Identifier: Apache-2.0
#include "server/api/time_point.h"

#include <gtest/gtest.h>

#include "builders/batch_times.h"

namespace wick {
namespace {

TEST(TimePoint, IsNow) { EXPECT_EQ(parse_time_point("now", kTen), kTen); }

TEST(TimePoint, IsBeforeNow) {
  EXPECT_EQ(parse_time_point("-60s", kTen), kTen - 60 * kSecond);
  EXPECT_EQ(parse_time_point("-1.5h", kTen), kTen - 5400 * kSecond);
  EXPECT_EQ(parse_time_point("-250ms", kTen), kTen - kSecond / 4);
  EXPECT_EQ(parse_time_point("-2d", kTen), kTen - 172'800 * kSecond);
  EXPECT_EQ(parse_time_point("now-5m", kTen), kTen - 300 * kSecond);
}

TEST(TimePoint, IsSecondsSince1970) {
  EXPECT_EQ(parse_time_point("1600000000", kTen), 1'600'000'000 * kSecond);
  EXPECT_EQ(parse_time_point("1600000000.25", kTen),
            1'600'000'000 * kSecond + kSecond / 4);
  EXPECT_EQ(parse_time_point("0", kTen), 0);
}

TEST(TimePoint, HasTheUnitOfItsDigits) {
  EXPECT_EQ(parse_time_point("1600000000123", kTen),
            1'600'000'000'123 * 1'000'000);
  EXPECT_EQ(parse_time_point("1600000000123456", kTen),
            1'600'000'000'123'456 * 1000);
  EXPECT_EQ(parse_time_point("1600000000123456789", kTen),
            1'600'000'000'123'456'789);
}

TEST(TimePoint, IsADate) {
  EXPECT_EQ(parse_time_point("2023-11-14T22:13:20Z", kTen), kTen);
  EXPECT_EQ(parse_time_point("2023-11-14 22:13:20Z", kTen), kTen);
  EXPECT_EQ(parse_time_point("2023-11-14T22:13:20.5Z", kTen),
            kTen + kSecond / 2);
  EXPECT_EQ(parse_time_point("2023-11-14T23:13:20+01:00", kTen), kTen);
  EXPECT_EQ(parse_time_point("2023-11-14T20:13:20-0200", kTen), kTen);
}

// As "+01:00" is read in a query that does not escape it.
TEST(TimePoint, MayHaveASpaceForThePlusOfItsZone) {
  EXPECT_EQ(parse_time_point("2023-11-14T23:13:20 01:00", kTen), kTen);
}

TEST(TimePoint, IsNothingElse) {
  for (const char* text : {"",
                           "then",
                           "nowish",
                           "now+5s",
                           "-",
                           "-5",
                           "-5x",
                           "60s",
                           "-0s",
                           "1e9",
                           "-1e9s",
                           "--5s",
                           "1.2.3",
                           "1.",
                           "99999999999",
                           "9999999999999999999",
                           "2023-11-14",
                           "2023-11-14T22:13:20",
                           "2023-13-14T22:13:20Z",
                           "2023-02-30T22:13:20Z",
                           "2023-11-14T24:13:20Z",
                           "2023-11-14T22:13Z",
                           "2023-11-14T22:13:20Zulu",
                           "2300-11-14T22:13:20Z",
                           "-999999999w",
                           "-nans",
                           "-infs",
                           "-.s"})
    EXPECT_EQ(parse_time_point(text, kTen), std::nullopt) << text;
}

TEST(Duration, HasAUnit) {
  EXPECT_EQ(parse_duration("10s"), 10 * kSecond);
  EXPECT_EQ(parse_duration("1w"), 7 * 86400 * kSecond);
  EXPECT_EQ(parse_duration("10"), std::nullopt);
  EXPECT_EQ(parse_duration("0s"), std::nullopt);
  EXPECT_EQ(parse_duration("-1s"), std::nullopt);
}

TEST(DateText, IsUtc) { EXPECT_EQ(date_text(kTen), "2023-11-14 22:13:20"); }

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "base/time_text.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(TimeText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(time_text(4'934'000'000), "4.93 s");
  EXPECT_EQ(time_text(1'234e9), "1234 s");
  EXPECT_EQ(time_text(12'400'000), "12.4 ms");
  EXPECT_EQ(time_text(890'000), "890 µs");
  EXPECT_EQ(time_text(15), "15 ns");
  EXPECT_EQ(time_text(0.25), "0.25 ns");
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(-12'400'000), "-12.4 ms");
}

TEST(TimeText, RoundsUpToTheNextUnit) {
  EXPECT_EQ(time_text(999'600'000), "1.00 s");
  EXPECT_EQ(time_text(999'400'000), "999 ms");
  EXPECT_EQ(time_text(9'996'000), "10.0 ms");
}

TEST(ParseTime, ReadsEveryUnit) {
  EXPECT_EQ(parse_time("50ms"), 50e6);
  EXPECT_EQ(parse_time("1.5 s"), 1.5e9);
  EXPECT_EQ(parse_time("3us"), 3e3);
  EXPECT_EQ(parse_time("3µs"), 3e3);
  EXPECT_EQ(parse_time("-7ns"), -7);
}

TEST(ParseTime, RefusesOtherText) {
  for (const char* text : {"", "5", "ms", "5 min", "x5ms", "5ms5", "nan s"})
    EXPECT_FALSE(parse_time(text)) << text;
}

}  // namespace
}  // namespace wick

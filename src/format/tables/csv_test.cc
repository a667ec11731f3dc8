// SPDX-License-Identifier: Apache-2.0
#include "format/tables/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

using testing::ElementsAre;

std::vector<std::string> fields(std::string_view line) {
  std::vector<std::string> result;
  split_csv(line, ',', result);
  return result;
}

TEST(Csv, SplitsAtSeparators) {
  EXPECT_THAT(fields("a,b,,c"), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(fields(""), ElementsAre(""));
  EXPECT_THAT(fields("a,"), ElementsAre("a", ""));
}

TEST(Csv, KeepsSeparatorsInQuotes) {
  EXPECT_THAT(fields("\"f(int, char)\",1"), ElementsAre("f(int, char)", "1"));
}

TEST(Csv, ReadsTwoQuotesAsOne) {
  EXPECT_THAT(fields("\"say \"\"hi\"\"\",1"), ElementsAre("say \"hi\"", "1"));
}

TEST(Csv, KeepsTheIndentationBeforeAQuote) {
  EXPECT_THAT(fields("  \"a\",  b"), ElementsAre("  a", "  b"));
}

TEST(Csv, EndsAQuoteThatIsNotClosedAtTheEndOfTheLine) {
  EXPECT_THAT(fields("x,\"a,b"), ElementsAre("x", "a,b"));
}

TEST(Csv, ReadsNumbersWithCommas) {
  EXPECT_EQ(to_grouped_number("2,893,824"), 2893824);
  EXPECT_EQ(to_grouped_number("12"), 12);
  EXPECT_EQ(to_grouped_number("x"), std::nullopt);
  EXPECT_EQ(to_grouped_number(""), std::nullopt);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "format/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace wick {
namespace {

std::string repaired(std::string_view text) { return repair_json(text).text; }

TEST(Json, GivesNothingForWhatIsNotThere) {
  Diagnostics diagnostics;
  const JsonDocument document(R"({"a": [1, 2.5, "x"]})", diagnostics);
  const Json root = document.root();
  EXPECT_FALSE(root["b"]["c"]);
  EXPECT_EQ(root["a"].text(), "");
  EXPECT_FALSE(root["a"].integer());
  for (const Json item : root.items()) FAIL() << item.text();
  for (const auto [key, value] : root["a"].members()) FAIL() << key;
  EXPECT_TRUE(diagnostics.empty());
}

TEST(Json, KeepsTheWrittenDigits) {
  Diagnostics diagnostics;
  const JsonDocument document("[0.1, 12, 2.50, 1e3, 18446744073709551615]",
                              diagnostics);
  std::vector<Decimal> numbers;
  for (const Json item : document.root().items())
    numbers.push_back(*item.decimal());
  EXPECT_THAT(numbers, testing::ElementsAre(Decimal{1, 1}, Decimal{12, 0},
                                            Decimal{25, 1}, Decimal{1000, 0},
                                            Decimal{INT64_MAX, 0}));
}

TEST(Json, ClosesWhatIsOpenWhereItIsCutOff) {
  EXPECT_EQ(repaired(R"({"a": 1, "b": [{"c": "x"}, {"d": "y)"),
            R"({"a":1,"b":[{"c":"x"},{}]})");
  EXPECT_EQ(repaired(R"({"a": 1, "b)"), R"({"a":1})");
  EXPECT_EQ(repaired(R"({"a": 1, "b":)"), R"({"a":1})");
  EXPECT_EQ(repaired("[1, 2"), "[1]");
  EXPECT_EQ(repaired("[1, tru"), "[1]");
  EXPECT_EQ(repaired("[1,"), "[1]");
  EXPECT_EQ(repaired("["), "[]");
  EXPECT_EQ(repaired(""), "");
}

TEST(Json, StopsAtTheFirstPlaceThatMakesNoSense) {
  const RepairedJson json = repair_json(R"({"a": 1, "b": 2 "c": 3})");
  EXPECT_EQ(json.text, R"({"a":1,"b":2})");
  EXPECT_EQ(json.problem, "the JSON is broken at byte 16: expected ','");
}

TEST(Json, AcceptsTrailingCommasAndNumbersBeyondTheRange) {
  EXPECT_EQ(repaired("[1,2,]"), "[1,2]");
  EXPECT_EQ(repaired("[NaN,-Infinity,1e999]"), "[null,null,null]");
  EXPECT_EQ(repaired("[100000000000000000000]"), "[1.00000000000000000e+20]");
}

TEST(Json, ReplacesBrokenCharacters) {
  Diagnostics diagnostics;
  const JsonDocument document("[\"a\xff\", \"\\ud800\", \"\\q\", \"\t\"]",
                              diagnostics);
  std::vector<std::string> texts;
  for (const Json item : document.root().items())
    texts.emplace_back(item.text());
  EXPECT_THAT(texts, testing::ElementsAre("a\xef\xbf\xbd", "\xef\xbf\xbd",
                                          "\xef\xbf\xbdq", "\t"));
  EXPECT_EQ(diagnostics.count(Problem::kBadRecord), 4u);
}

TEST(Json, ReportsThatItIsCutOff) {
  Diagnostics diagnostics;
  const JsonDocument document(R"({"a": [1, 2, 3)", diagnostics);
  EXPECT_EQ(diagnostics.count(Problem::kTruncated), 1u);
}

TEST(Json, RefusesOtherText) {
  Diagnostics diagnostics;
  EXPECT_THROW(JsonDocument("hello", diagnostics), Error);
  EXPECT_THROW(JsonDocument("", diagnostics), Error);
}

TEST(Json, ReadsDeepNesting) {
  Diagnostics diagnostics;
  const std::string deep(50'000, '[');
  const JsonDocument whole(deep + std::string(50'000, ']'), diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  const JsonDocument cut(deep, diagnostics);
  EXPECT_EQ(diagnostics.count(Problem::kTruncated), 1u);
  const JsonDocument too_deep(std::string(1'000'000, '['), diagnostics);
}

TEST(Json, FindsTheKeysOfAHead) {
  EXPECT_THAT(json_keys(R"( {"a": {"x": 1}, "b": "c,\"d", "e": [{"f)"),
              testing::ElementsAre("a", "b", "e"));
  EXPECT_THAT(json_keys(R"([{"ph": "X", "ts": 1}, {"z": 2}])"),
              testing::ElementsAre("ph", "ts"));
  EXPECT_TRUE(json_keys("hello {").empty());
}

}  // namespace
}  // namespace wick

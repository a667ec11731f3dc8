// SPDX-License-Identifier: Apache-2.0
#include "server/api/parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "builders/batch_times.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using testing::Throws;
using testing::ThrowsMessage;

constexpr std::string_view kKnown[] = {"name", "from", "to", "n", "step", "by"};

// Of "/path?a=b", which must live as long.
Parameters parameters(const HttpTarget& target) {
  return Parameters(target, kKnown, kTen);
}
HttpTarget target(std::string_view text) { return *parse_target(text); }

TEST(Parameters, SuggestWhatAnUnknownOneMayBe) {
  const HttpTarget wrong = target("/x?form=-60s");
  EXPECT_THAT([&] { parameters(wrong); },
              ThrowsMessage<RequestError>(HasSubstr("did you mean 'from'?")));
  EXPECT_THAT([&] { parameters(wrong); },
              Throws<RequestError>(Property(&RequestError::status, 400)));
}

TEST(Parameters, MayNotContradictEachOther) {
  const HttpTarget twice = target("/x?from=-60s&from=-10s");
  EXPECT_THAT([&] { parameters(twice); },
              ThrowsMessage<RequestError>(HasSubstr("twice")));
}

TEST(Parameters, AreAbsentIfTheyAreEmpty) {
  const HttpTarget empty = target("/x?n=");
  EXPECT_EQ(parameters(empty).number("n", 7, {1, 9}), 7);
}

TEST(Parameters, HaveListsOfNames) {
  const HttpTarget names = target("/x?name=a,b&name=c*");
  EXPECT_THAT(parameters(names).list("name"), ElementsAre("a", "b", "c*"));
}

TEST(Parameters, HaveNumbersWithinLimits) {
  const HttpTarget ten = target("/x?n=10");
  EXPECT_EQ(parameters(ten).number("n", 7, {1, 10}), 10);
  EXPECT_THROW(parameters(ten).number("n", 7, {1, 9}), RequestError);
  const HttpTarget word = target("/x?n=ten");
  EXPECT_THROW(parameters(word).number("n", 7, {1, 9}), RequestError);
}

TEST(Parameters, HaveASpanThatEndsNow) {
  const HttpTarget none = target("/x");
  const TimeSpan span = parameters(none).span(60 * kSecond);
  EXPECT_EQ(span.from_ns, kTen - 60 * kSecond);
  EXPECT_EQ(span.to_ns, kTen);
}

TEST(Parameters, HaveASpanOfTheUsualLengthBeforeItsEnd) {
  const HttpTarget end = target("/x?to=-1h");
  EXPECT_EQ(parameters(end).span(60 * kSecond).from_ns, kTen - 3660 * kSecond);
}

TEST(Parameters, RefuseASpanThatEndsBeforeItBegins) {
  const HttpTarget wrong = target("/x?from=now&to=-60s");
  EXPECT_THAT([&] { parameters(wrong).span(kSecond); },
              ThrowsMessage<RequestError>(HasSubstr("not before")));
}

TEST(Parameters, SayWhatATimeIsLike) {
  const HttpTarget wrong = target("/x?from=yesterday");
  EXPECT_THAT([&] { parameters(wrong).span(kSecond); },
              ThrowsMessage<RequestError>(HasSubstr("-60s")));
}

TEST(Parameters, AreOneOfSomeWords) {
  constexpr std::pair<std::string_view, int> kWords[] = {{"one", 1},
                                                         {"two", 2}};
  const HttpTarget none = target("/x"), two = target("/x?by=two"),
                   three = target("/x?by=three");
  EXPECT_EQ(parameters(none).choice("by", kWords), 1);
  EXPECT_EQ(parameters(two).choice("by", kWords), 2);
  EXPECT_THAT([&] { parameters(three).choice("by", kWords); },
              ThrowsMessage<RequestError>(HasSubstr("one, two")));
}

}  // namespace
}  // namespace wick

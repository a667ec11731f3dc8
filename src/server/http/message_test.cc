// SPDX-License-Identifier: Apache-2.0
#include "server/http/message.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(HttpTarget, HasAPathAndAQuery) {
  const auto target = parse_target("/api/v1/top?by=function&from=-60s&x");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/api/v1/top");
  EXPECT_EQ(target->value("by"), "function");
  EXPECT_EQ(target->value("from"), "-60s");
  EXPECT_EQ(target->value("x"), "");
  EXPECT_EQ(target->value("to"), std::nullopt);
}

TEST(HttpTarget, IsPercentDecoded) {
  const auto target = parse_target("/a%2Fb?comm=g%2B%2b+x%26y");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/a/b");
  EXPECT_EQ(target->value("comm"), "g++ x&y");
}

TEST(HttpTarget, DamagedOnesAreRefused) {
  for (const char* bad : {"", "a", "http://host/", "*", "/%", "/%4", "/%zz",
                          "/?a=%0d%0aX: y", "/%00", "/%ff", "/?%c3=", "/a\x01"})
    EXPECT_FALSE(parse_target(bad)) << bad;
}

HttpRequest with_headers(
    std::vector<std::pair<std::string, std::string>> headers) {
  HttpRequest request;
  request.headers = std::move(headers);
  return request;
}

TEST(HttpRequest, AHeaderThatIsThereTwiceCountsAsNone) {
  const HttpRequest request =
      with_headers({{"host", "a"}, {"host", "b"}, {"origin", "c"}});
  EXPECT_EQ(request.header("host"), std::nullopt);
  EXPECT_EQ(request.header("origin"), "c");
}

TEST(HttpRequest, CookiesAreFoundByName) {
  const HttpRequest request =
      with_headers({{"cookie", "a=1; wick=x=y ;b=2; b=3"}});
  EXPECT_EQ(request.cookie("wick"), "x=y");
  EXPECT_EQ(request.cookie("b"), std::nullopt);
  EXPECT_EQ(request.cookie("c"), std::nullopt);
}

TEST(EventStream, FramesEveryLineOfAnEvent) {
  EventStream stream;
  EXPECT_TRUE(stream.send("top", "one\ntwo"));
  EXPECT_EQ(stream.take(), "event: top\ndata: one\ndata: two\n\n");
  EXPECT_EQ(stream.take(), "");
}

TEST(EventStream, EndsWhenNobodyReads) {
  EventStream stream;
  const std::string event(EventStream::kMaxBacklog / 2, 'x');
  EXPECT_TRUE(stream.send("a", event));
  EXPECT_FALSE(stream.send("a", event));
  EXPECT_TRUE(stream.has_ended());
  EXPECT_EQ(stream.take(), "");
}

TEST(HttpError, IsJsonWithASentence) {
  EXPECT_EQ(http_error(404, "no host \"<b>\"").body,
            "{\"error\":{\"status\":404,\"message\":"
            "\"no host \\\"\\u003cb>\\\"\"}}\n");
}

TEST(HttpError, IsReadBack) {
  EXPECT_EQ(error_message(http_error(404, "no host \"<b>\"")),
            "no host \"<b>\"");
  EXPECT_EQ(error_message({.type = "text/html", .body = "<p>no</p>"}), "");
  EXPECT_EQ(error_message({.type = "application/json", .body = "{\"a\":1"}),
            "");
}

}  // namespace
}  // namespace wick

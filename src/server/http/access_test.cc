// SPDX-License-Identifier: Apache-2.0
#include "server/http/access.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

using namespace std::chrono_literals;

const Access::Time kNow{100h};

Access access() {
  return Access({.token = "secret",
                 .hosts = {"build7", "10.0.0.7", "fd00::7"},
                 .port = 7373,
                 .how_to_log_in = "say the word"});
}

struct Asked {
  std::vector<std::pair<std::string, std::string>> headers = {
      {"host", "localhost:7373"}};
  std::string target = "/api/v1/hosts";
  std::string method = "GET";
  std::string peer = "127.0.0.1";
};

HttpRequest request(Asked asked) {
  return {.method = asked.method,
          .target = *parse_target(asked.target),
          .headers = std::move(asked.headers),
          .body = {},
          .peer = asked.peer};
}

int status(Access& access, const Asked& asked, Access::Time now = kNow) {
  const auto answer = access.answer_instead(request(asked), now);
  return answer ? answer->status : 200;
}

int status(const Asked& asked) {
  Access fresh(access());
  return status(fresh, asked);
}

Asked with_token(std::string token, std::string host = "localhost:7373") {
  return {.headers = {{"host", std::move(host)},
                      {"authorization", "Bearer " + std::move(token)}}};
}

TEST(Access, NeedsTheToken) {
  EXPECT_EQ(status(with_token("secret")), 200);
  EXPECT_EQ(status(with_token("secrets")), 401);
  EXPECT_EQ(status(with_token("Secret")), 401);
  EXPECT_EQ(status(with_token("")), 401);
  EXPECT_EQ(status(Asked{}), 401);
  EXPECT_EQ(status({.headers = {{"host", "localhost:7373"},
                                {"authorization", "Basic secret"}}}),
            401);
}

TEST(Access, HealthNeedsNone) {
  EXPECT_EQ(status({.target = "/healthz"}), 200);
  EXPECT_EQ(status({.target = "/healthz/"}), 401);
}

TEST(Access, SaysHowToLogIn) {
  const auto answer = access().answer_instead(request({}), kNow);
  ASSERT_TRUE(answer);
  EXPECT_NE(answer->body.find("say the word"), std::string::npos);
}

// A page of evil.example whose name was pointed at 127.0.0.1.
TEST(Access, AnswersOnlyUnderItsOwnNames) {
  for (const char* own :
       {"localhost:7373", "LocalHost:7373", "127.0.0.1:7373", "[::1]:7373",
        "build7:7373", "10.0.0.7:7373", "[fd00::7]:7373"})
    EXPECT_EQ(status(with_token("secret", own)), 200) << own;
  for (const char* other :
       {"evil.example:7373", "localhost", "localhost:80", "localhost:07373x",
        "127.0.0.1.evil.example:7373", "localhost.:7373", "", ":7373",
        "localhost:7373:7373", "user@localhost:7373", "build7"})
    EXPECT_EQ(status(with_token("secret", other)), 421) << other;
}

TEST(Access, TwoHostHeadersAreNone) {
  EXPECT_EQ(status({.headers = {{"host", "localhost:7373"},
                                {"host", "evil.example"},
                                {"authorization", "Bearer secret"}}}),
            421);
}

TEST(Access, OtherSitesMayNotAsk) {
  const auto from = [](std::string name, std::string value) {
    Asked asked = with_token("secret");
    asked.headers.emplace_back(std::move(name), std::move(value));
    return status(asked);
  };
  EXPECT_EQ(from("origin", "http://localhost:7373"), 200);
  EXPECT_EQ(from("origin", "https://localhost:7373"), 403);
  EXPECT_EQ(from("origin", "http://localhost:7374"), 403);
  EXPECT_EQ(from("origin", "http://evil.example"), 403);
  EXPECT_EQ(from("origin", "null"), 403);
  EXPECT_EQ(from("sec-fetch-site", "same-origin"), 200);
  EXPECT_EQ(from("sec-fetch-site", "none"), 200);
  EXPECT_EQ(from("sec-fetch-site", "cross-site"), 403);
  EXPECT_EQ(from("sec-fetch-site", "same-site"), 403);
}

// The name and value of the cookie that a login sets.
std::string cookie_of(const HttpResponse& response) {
  for (const auto& [name, value] : response.headers)
    if (name == "Set-Cookie") return value.substr(0, value.find(';'));
  return "no cookie";
}

TEST(Access, ALinkWithTheTokenLogsIn) {
  const auto answer = access().answer_instead(
      request({.target = "/x?a=1%262&token=secret"}), kNow);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 303);
  EXPECT_EQ(answer->headers[0],
            std::pair(std::string("Location"), std::string("/x?a=1%262")));
  const std::string& cookie = answer->headers[1].second;
  EXPECT_TRUE(cookie.starts_with("wick_7373="));
  EXPECT_TRUE(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict"));
  EXPECT_EQ(cookie.find("secret"), std::string::npos);

  const auto with_cookie = [](std::string text, std::string method = "GET") {
    return Asked{
        .headers = {{"host", "localhost:7373"}, {"cookie", std::move(text)}},
        .method = std::move(method)};
  };
  EXPECT_EQ(status(with_cookie(cookie_of(*answer))), 200);
  EXPECT_EQ(status(with_cookie("wick_7373=secret")), 401);
  // Whatever changes something must come from the server's own page.
  Asked post = with_cookie(cookie_of(*answer), "POST");
  EXPECT_EQ(status(post), 401);
  post.headers.emplace_back("origin", "http://localhost:7373");
  EXPECT_EQ(status(post), 200);
}

TEST(Access, ALinkDoesNotLeadElsewhere) {
  const auto answer = access().answer_instead(
      request({.target = "//evil.example/?token=secret"}), kNow);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->headers[0].second, "/evil.example/");
}

TEST(Access, WrongTokensAreLimited) {
  Access door = access();
  for (std::size_t i = 0; i < Access::kMaxFailures; ++i)
    EXPECT_EQ(status(door, with_token("guess")), 401);
  EXPECT_EQ(status(door, with_token("guess")), 429);
  EXPECT_EQ(status(door, {.target = "/?token=guess"}), 429);
  // Whoever has the token is not kept out, nor is another address.
  EXPECT_EQ(status(door, with_token("secret")), 200);
  Asked other = with_token("guess");
  other.peer = "10.0.0.9";
  EXPECT_EQ(status(door, other), 401);
  EXPECT_EQ(status(door, with_token("guess"), kNow + 61s), 401);
}

TEST(Access, WrongTokensOfAllAddressesAreLimited) {
  Access door = access();
  Asked guess = with_token("guess");
  for (std::size_t i = 0; i < Access::kMaxFailuresOfAll; ++i) {
    guess.peer = std::to_string(i);
    EXPECT_EQ(status(door, guess), 401);
  }
  guess.peer = "another";
  EXPECT_EQ(status(door, guess), 429);
}

TEST(RandomToken, IsLongAndNew) {
  EXPECT_EQ(random_token().size(), 48u);
  EXPECT_NE(random_token(), random_token());
}

TEST(SecurityHeaders, ArePartOfEveryAnswerOnce) {
  HttpResponse response{.headers = {{"Cache-Control", "max-age=60"}}};
  add_security_headers(response);
  const auto value = [&](std::string_view name) {
    std::string all;
    for (const auto& [key, text] : response.headers)
      if (key == name) all += text;
    return all;
  };
  EXPECT_EQ(value("Cache-Control"), "max-age=60");
  EXPECT_EQ(value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(value("Content-Security-Policy").find("unsafe"), std::string::npos);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "cli/server_input.h"

#include <gmock/gmock.h>

#include "base/error.h"

namespace wick {
namespace {

using testing::HasSubstr;

std::string why_not(const std::string& path) {
  try {
    server_target(path);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ServerInput, IsNamedByItsScheme) {
  EXPECT_TRUE(is_server_input("http://localhost:7373"));
  EXPECT_TRUE(is_server_input("https://build7"));
  EXPECT_FALSE(is_server_input("http.data"));
}

TEST(ServerInput, AServerAloneStandsForTheLastMinute) {
  const std::string last_minute = "/api/v1/profile?from=-60s&format=wick";
  EXPECT_EQ(server_target("http://localhost:7373"), last_minute);
  EXPECT_EQ(server_target("http://localhost:7373/"), last_minute);
  EXPECT_EQ(server_target("http://localhost:7373/?pid=7"),
            "/api/v1/profile?pid=7&from=-60s&format=wick");
  EXPECT_EQ(server_target("http://localhost:7373?from=-1h"),
            "/api/v1/profile?from=-1h&format=wick");
}

TEST(ServerInput, APathIsTakenAsItIs) {
  EXPECT_EQ(server_target("http://a/api/v1/profile?comm=a%20b"),
            "/api/v1/profile?comm=a%20b&format=wick");
  EXPECT_EQ(server_target("http://a/api/v1/profile?format=folded&pid=7"),
            "/api/v1/profile?format=folded&pid=7");
  EXPECT_EQ(server_target("http://a/api/v1/diff"), "/api/v1/diff?format=wick");
}

TEST(ServerInput, ATokenInAnAddressIsRefused) {
  EXPECT_THAT(why_not("http://a/?token=secret"), HasSubstr("WICK_TOKEN"));
  EXPECT_THAT(why_not("http://a/api/v1/profile?pid=1&%74oken=secret"),
              HasSubstr("WICK_TOKEN"));
}

TEST(ServerInput, ARefusalDoesNotRepeatTheToken) {
  EXPECT_THAT(why_not("http://a/?token=secret"),
              testing::Not(HasSubstr("secret")));
}

TEST(ServerInput, OtherPagesAreNoInputs) {
  EXPECT_THAT(why_not("http://a/file.folded"), HasSubstr("/api/v1/profile"));
  EXPECT_THAT(why_not("http://u@a/"), HasSubstr("not an address"));
  EXPECT_THAT(why_not("http://a/%zz"), HasSubstr("damaged escape"));
}

}  // namespace
}  // namespace wick

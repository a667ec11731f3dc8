// SPDX-License-Identifier: Apache-2.0
#include "server/serve_config.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace wick {
namespace {

ServeConfig config(std::string_view toml) {
  return parse_serve_config(toml, "serve.toml");
}

std::string complaint(std::string_view toml) {
  try {
    config(toml);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(ServeConfig, IsTheDefaultWithoutKeys) {
  EXPECT_EQ(config(""), ServeConfig{});
  EXPECT_EQ(config("# nothing\n"), ServeConfig{});
}

TEST(ServeConfig, HasAKeyForEveryOption) {
  const ServeConfig all = config(R"(
listen = "0.0.0.0:80"
hosts = ["build7", "build7.example"]
token-file = "/etc/wick/token"
tls-cert = "cert.pem"
tls-key = "key.pem"
insecure = true
record = false
off-cpu = true
freq = 49
live-freq = 199
keep = "1y"
max-size = "500M"
)");
  EXPECT_EQ(all, (ServeConfig{
                     .address = "0.0.0.0",
                     .port = 80,
                     .hosts = {"build7", "build7.example"},
                     .token_file = "/etc/wick/token",
                     .tls_certificate = "cert.pem",
                     .tls_key = "key.pem",
                     .insecure = true,
                     .record = false,
                     .off_cpu = true,
                     .frequency = 49,
                     .live_frequency = 199,
                     .keep = std::chrono::hours(365 * 24),
                     .max_size = std::uint64_t{500} << 20,
                 }));
}

TEST(ServeConfig, ListensOnAnAddressAPortOrBoth) {
  const auto place = [](std::string_view text) {
    ServeConfig config;
    set_option(config, "listen", text);
    return config.address + " " + std::to_string(config.port);
  };
  EXPECT_EQ(place("10.0.0.7:81"), "10.0.0.7 81");
  EXPECT_EQ(place("10.0.0.7"), "10.0.0.7 7373");
  EXPECT_EQ(place(":81"), "127.0.0.1 81");
  EXPECT_EQ(place("[::1]:81"), "::1 81");
  EXPECT_EQ(place("[::]"), ":: 7373");
  for (const char* bad : {"localhost:81", "::1", "1.2.3.4:x", "1.2.3.4:70000",
                          "[1.2.3.4]:81", "http://1.2.3.4"})
    EXPECT_THROW(place(bad), Error) << bad;
}

TEST(ServeConfig, HostsAreNamesAndAddresses) {
  ServeConfig config;
  for (const char* good :
       {"build7", "build7.example.com", "my_box", "10.0.0.7", "fd00::2"})
    set_option(config, "hosts", good);
  EXPECT_EQ(config.hosts.size(), 5U);
  for (const char* bad : {"", "build7:7373", "http://build7", "build7/", "a b",
                          "[::1]", "*.example.com"})
    EXPECT_THROW(set_option(config, "hosts", bad), Error) << bad;
}

TEST(ServeConfig, ACertificateNeedsItsKey) {
  EXPECT_NO_THROW(check_serve_config({}));
  EXPECT_NO_THROW(
      check_serve_config({.tls_certificate = "a.pem", .tls_key = "b.pem"}));
  EXPECT_THROW(check_serve_config({.tls_certificate = "a.pem"}), Error);
  EXPECT_THROW(check_serve_config({.tls_key = "b.pem"}), Error);
}

TEST(ServeConfig, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(complaint("keep = \"1y\"\nfrek = 5"),
            "serve.toml: line 2: there is no 'frek' (did you mean freq?)");
  EXPECT_EQ(complaint("colour = 1"),
            "serve.toml: line 1: there is no 'colour'");
  EXPECT_EQ(complaint("\nfreq = \"5\""),
            "serve.toml: line 2: freq: it is a whole number");
  EXPECT_EQ(complaint("freq = 1000"),
            "serve.toml: line 1: freq: '1000' is not a number of samples per "
            "second from 1 to 999");
  EXPECT_EQ(complaint("keep = 30"),
            "serve.toml: line 1: keep: it is a text in quotes");
  EXPECT_EQ(
      complaint("insecure = \"yes\""),
      "serve.toml: line 1: insecure: it is true or false, without quotes");
  EXPECT_EQ(complaint("hosts = [1]"),
            "serve.toml: line 1: hosts: its items are texts in quotes");
  EXPECT_EQ(complaint("freq = 5\nkeep : 30"),
            "serve.toml: line 2: this is not TOML: keys are set as in "
            "`keep = \"30d\"`");
  EXPECT_NE(complaint("freq = 5\nfreq = 6"), "none");
}

TEST(ServeConfig, AgesAndSizesHaveUnits) {
  for (const char* bad : {"", "30", "d", "0d", "-1d", "1.5d", "30 d", "101y",
                          "99999999999999999999d", "5s"})
    EXPECT_NE(complaint("keep = \"" + std::string(bad) + "\""), "none") << bad;
  for (const char* bad : {"", "2", "15M", "2g", "20000000000000T"})
    EXPECT_NE(complaint("max-size = \"" + std::string(bad) + "\""), "none")
        << bad;
}

TEST(ServeConfig, EveryBeginningOfAFileIsSurvived) {
  const std::string whole =
      "hosts = [\"a\", \"b\"]\nfreq = 5\nkeep = '''1y'''\n";
  for (std::size_t size = 0; size < whole.size(); ++size)
    complaint(std::string_view(whole).substr(0, size));
}

}  // namespace
}  // namespace wick

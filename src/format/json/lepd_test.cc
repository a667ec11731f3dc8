// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

constexpr std::string_view kSample =
    R"(demo 12 [000] 1.5: 1 cycles:\n\t    a1 leaf (\/bin\/demo)\n)"
    R"(\t    b2 main (\/bin\/demo)\n\n)";

std::string reply(std::string_view text) {
  return "{\n\t\"result\":\t\"" + std::string(text) + "\"\n}\n";
}

std::string error_of(std::string_view text) {
  try {
    read_text("lepd", text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Lepd, ReadsTheTextOfPerfScript) {
  const std::string whole = reply(std::string(kSample) + "lepdendstring");
  EXPECT_EQ(detect(whole)->name, "lepd");
  const Profile profile = read_text("lepd", whole);
  EXPECT_EQ(folded(profile), "demo;main;leaf 1\n");
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Lepd, DoesWithoutTheMarker) {
  const Profile profile = read_text("lepd", reply(kSample));
  EXPECT_EQ(folded(profile), "demo;main;leaf 1\n");
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Lepd, ReportsThatTheTextWasCutBeforeTheMarker) {
  const Profile profile = read_text(
      "lepd", reply(std::string(kSample) + R"(demo 12 [000] 1.6: 1 cycles:\n)"
                                           R"(\t a1 leaf (\/bin\/demo)\n)"
                                           R"(\t b2 malepdendstring)"));
  EXPECT_EQ(folded(profile), "demo;leaf 1\ndemo;main;leaf 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(Lepd, ReportsThatTheReplyIsCutOff) {
  const std::string whole = reply(std::string(kSample) + "lepdendstring");
  const Profile profile = read_text("lepd", whole.substr(0, 80));
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(Lepd, ReadsSeveralRepliesInARow) {
  const std::string one = reply(std::string(kSample) + "lepdendstring");
  EXPECT_EQ(folded(read_text("lepd", one + one)), "demo;main;leaf 2\n");
}

TEST(Lepd, PassesOnTheErrorOfTheAgent) {
  const std::string text =
      R"({"error":{"code":-32601,"message":"Method not found."},"id":1})";
  EXPECT_EQ(detect(text)->name, "lepd");
  EXPECT_THAT(error_of(text),
              testing::HasSubstr("LEPD answered with an error: Method not "
                                 "found. (code -32601)"));
}

TEST(Lepd, RefusesRepliesToOtherQuestions) {
  EXPECT_THAT(error_of(reply(R"(MemTotal: 1 kB\nlepdendstring)")),
              testing::HasSubstr("ask for GetCmdPerfFlame"));
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "builders/read.h"

namespace wick {
namespace {

// The cycles of a text, folded.
std::string cycles(std::string_view text) {
  return folded(select(read_text("tracerv-labels", text), {}));
}

TEST(TracervLabels, GivesTheTimeBetweenTwoLinesToTheStackBeforeTheSecond) {
  EXPECT_EQ(cycles("# Clock Domain: baseClock, Relative Frequency: 1/1 of Base "
                   "Clock\n"
                   "Indent: 1, Start label: main, At cycle: 1000\n"
                   "Indent: 2, Start label: parse, At cycle: 1200\n"
                   "Indent: 2, End label: parse, End cycle: 1900\n"
                   "Indent: 1, End label: main, End cycle: 2000\n"),
            "main 300\n"
            "main;parse 700\n");
}

TEST(TracervLabels, KeepsTimeWithoutAStack) {
  const Profile profile =
      read_text("tracerv-labels",
                "Indent: 1, Start label: a, At cycle: 10\n"
                "Indent: 1, End label: a, End cycle: 15\n"
                "WARN: STACK ZEROED WHEN WE WERE LOOKING FOR LABEL: f, iaddr "
                "0x80001234\n"
                "WARN: is_callsite was: 0, is_fn_entry was: 0\n"
                "WARN: Unwind started at level: dec 1\n"
                "WARN: Last instr was\n"
                "Indent: 1, Start label: b, At cycle: 40\n"
                "Indent: 1, End label: b, End cycle: 41\n");
  EXPECT_EQ(total_weight(profile, EventId{0}), 31);
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 1u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadStack), 1u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 0u);
}

TEST(TracervLabels, KeepsNamesWithCommas) {
  EXPECT_EQ(
      cycles("Indent: 1, Start label: std::map<int, char>::at, At cycle: 1\n"
             "Indent: 1, End label: std::map<int, char>::at, End cycle: "
             "8\n"),
      "std::map<int, char>::at 7\n");
}

TEST(TracervLabels, ReadsNamesInBrackets) {
  EXPECT_EQ(cycles("Indent: 1, Start label: <main>:, At cycle: 1\n"
                   "Indent: 1, End label: <main>:, End cycle: 8\n"),
            "main 7\n");
}

TEST(TracervLabels, CountsCalls) {
  const Profile profile =
      read_text("tracerv-labels",
                "Indent: 1, Start label: a, At cycle: 10\n"
                "Indent: 1, End label: a, End cycle: 15\n"
                "Indent: 1, Start label: a, At cycle: 15\n");
  EXPECT_EQ(total_weight(profile, EventId{1}), 2);
  EXPECT_TRUE(profile.is_trace);
}

TEST(TracervLabels, NotesTimeThatGoesBackwards) {
  const Profile profile =
      select(read_text("tracerv-labels",
                       "Indent: 1, Start label: a, At cycle: 10\n"
                       "Indent: 2, Start label: b, At cycle: 30\n"
                       "Indent: 2, End label: b, End cycle: 20\n"
                       "Indent: 1, End label: a, End cycle: 35\n"),
             {});
  EXPECT_EQ(folded(profile), "a 25\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTimeDisorder), 1u);
}

TEST(TracervLabels, ContinuesAfterAnUnexpectedDepth) {
  const Profile profile =
      select(read_text("tracerv-labels",
                       "Indent: 1, Start label: a, At cycle: 10\n"
                       "Indent: 5, Start label: b, At cycle: 20\n"
                       "Indent: 1, End label: a, End cycle: 35\n"),
             {});
  EXPECT_EQ(folded(profile), "a 10\na;b 15\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 2u);
}

}  // namespace
}  // namespace wick

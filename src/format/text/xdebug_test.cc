// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

constexpr std::string_view kTrace =
    "Version: 3.2.0\nFile format: 4\nTRACE START [2026-11-15 03:49:36.1]\n"
    "1\t0\t0\t0.000100\t396648\t{main}\t1\t\t/srv/x.php\t0\t0\n"
    "2\t1\t0\t0.000150\t396648\tShop\\tax\t1\t\t/srv/x.php\t5\t1\t3\n"
    "3\t2\t0\t0.000160\t396648\tusleep\t0\t\t/srv/x.php\t5\t1\t3\n"
    "3\t2\t1\t0.000360\t396648\n"
    "2\t1\tR\t\t\t7\n"
    "2\t1\t1\t0.000365\t396648\n"
    "2\t3\t0\t0.000370\t396648\tShop\\tax\t1\t\t/srv/x.php\t6\t1\t3\n"
    "2\t3\t1\t0.000380\t396648\n"
    "1\t0\t1\t0.000400\t396648\n"
    "\t0.000410\t391128\nTRACE END   [2026-11-15 03:49:36.2]\n";

TEST(Xdebug, GivesEachFunctionItsOwnTime) {
  const Profile profile = select(read_text("xdebug", kTrace), {});
  EXPECT_EQ(folded(profile),
            "{main} 75\n{main};Shop\\tax 25\n{main};Shop\\tax;usleep 200\n");
  EXPECT_EQ(profile.strings[profile.events[EventId{0}].unit], "microseconds");
}

TEST(Xdebug, CountsCalls) {
  EXPECT_EQ(folded(select(read_text("xdebug", kTrace), {.event = "calls"})),
            "{main} 1\n{main};Shop\\tax 2\n{main};Shop\\tax;usleep 1\n");
}

TEST(Xdebug, KeepsTheOrderOfTime) {
  EXPECT_TRUE(read_text("xdebug", kTrace).has_time);
  const Profile profile = read_text("xdebug", kTrace);
  EXPECT_EQ(profile.samples.front().time, 100'000u);
  EXPECT_EQ(profile.samples.back().time, 380'000u);
}

TEST(Xdebug, ReadsNothingWrongInAWholeTrace) {
  EXPECT_TRUE(read_text("xdebug", kTrace).diagnostics.empty());
}

TEST(Xdebug, NotesATraceThatIsCutOff) {
  const Profile profile =
      read_text("xdebug", kTrace.substr(0, kTrace.find("3\t2\t1")));
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
  EXPECT_EQ(
      folded(select(
          read_text("xdebug", kTrace.substr(0, kTrace.find("3\t2\t1"))), {})),
      "{main} 50\n{main};Shop\\tax 10\n");
}

TEST(Xdebug, NotesTimesThatRunBackwards) {
  const Profile profile = read_text(
      "xdebug",
      "TRACE START\n1\t0\t0\t0.5\t1\t{main}\t1\n2\t1\t0\t0.4\t1\tf\t1\n"
      "2\t1\t1\t0.6\t1\nTRACE END\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTimeDisorder), 1u);
}

TEST(Xdebug, CountsLinesThatCannotBeRead) {
  const Profile profile = read_text(
      "xdebug",
      "TRACE START\n1\t0\t0\t0.5\t1\t{main}\t1\nrubbish\n9\t7\t1\t0.6\t1\n"
      "TRACE END\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 2u);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

constexpr std::string_view kSampling =
    "Level,Function Name,Inclusive Samples,Exclusive Samples,"
    "Inclusive Samples %,Exclusive Samples %,Module Name,\n"
    "1,\"main\",\"8,735\",5,100.00,0.06,\"app.exe\",\n"
    "2,\"f <a b>\",\"8,730\",\"1,730\",99.94,19.81,\"app.exe\",\n"
    "3,\"g;h\",\"7,000\",\"7,000\",80.14,80.14,\"app.exe\",\n";

TEST(VsProf, CountsTheSamplesOfTheFunctionItself) {
  EXPECT_EQ(folded(read_text("vsprof", kSampling)),
            "main 5\nmain;f <a b> 1730\nmain;f <a b>;g:h 7000\n");
}

TEST(VsProf, CountsAllSamplesBelowForPerl) {
  EXPECT_EQ(folded(read_text("vsprof", kSampling, {.compat = Compat::kPerl})),
            "main 8735\nmain;f<ab> 8730\nmain;f<ab>;g:h 7000\n");
}

// A report of instrumentation with these rows.
Profile calls(std::string_view rows, const ReadOptions& options = {}) {
  return read_text("vsprof",
                   "\xef\xbb\xbfLevel,Function Name,Number of Calls,Elapsed "
                   "Inclusive Time %,Elapsed Exclusive Time %,Avg Elapsed "
                   "Inclusive Time,Avg Elapsed Exclusive Time,Module Name,\n" +
                       std::string(rows),
                   options);
}

constexpr std::string_view kRows =
    "0,\"app.exe\",0,100.00,0.00,0.00,0.00,\"\",\n"
    "1,\"main\",10,90.00,10.25,1.00,1.00,\"app.exe\",\n"
    "2,\"f\",\"1,000\",40.00,40.00,1.00,1.00,\"app.exe\",\n"
    "2,\"f\",3,39.75,39.75,1.00,1.00,\"app.exe\",\n"
    "1,\"end\",1,10.00,10.00,1.00,1.00,\"app.exe\",\n";

TEST(VsProf, GivesEachFunctionItsCalls) {
  EXPECT_EQ(folded(select(calls(kRows), {})), "end 1\nmain 10\nmain;f 1003\n");
}

TEST(VsProf, HasTheTimeAsAnotherEvent) {
  EXPECT_EQ(folded(select(calls(kRows), {.event = "time"})),
            "end 10\nmain 10.25\nmain;f 79.75\n");
}

TEST(VsProf, CountsCallsByTheRulesOfInferno) {
  const Profile profile = select(calls(kRows, {.inferno_counts = true}), {});
  EXPECT_EQ(folded(profile), "end 1\nmain 7\nmain;f 3\n");
  EXPECT_EQ(profile.diagnostics.weight(Problem::kNotCarried), 1000);
}

TEST(VsProf, BearsLevelsThatAreMissing) {
  EXPECT_EQ(folded(select(calls("1,\"a\",1,0,0,0,0,\"\",\n"
                                "4,\"b\",2,0,0,0,0,\"\",\n"),
                          {})),
            "a 1\na;b 2\n");
}

TEST(VsProf, CountsRowsThatItCannotRead) {
  const Profile profile = calls("x,\"a\",1,0,0,0,0,\"\",\n1,\"b\"\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 2u);
}

TEST(VsProf, NeedsItsHeader) {
  EXPECT_THROW(read_text("vsprof", "1,2,3\n"), Error);
  EXPECT_THROW(read_text("vsprof", ""), Error);
}

TEST(VsProf, IsRecognised) { EXPECT_EQ(detect(kSampling)->name, "vsprof"); }

}  // namespace
}  // namespace wick

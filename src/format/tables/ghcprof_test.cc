// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

constexpr std::string_view kTitle =
    "\tSat Mar  4 10:21 2023 Time and Allocation Profiling Report  (Final)\n\n";

constexpr std::string_view kTime =
    "COST CENTRE MODULE      SRC       %time %alloc\n\n"
    "go          Data.Words  a.hs:1:2   90.0   70.0\n\n"
    "                                        individual     inherited\n"
    "COST CENTRE MODULE      SRC       no. entries  %time %alloc   %time "
    "%alloc\n\n"
    "MAIN        MAIN        <built-in> 12       0    0.0    0.0   100.0  "
    "100.0\n"
    " main       Main        b c.hs:1:2 13       1   10.0   30.0   100.0  "
    "100.0\n"
    "  go        Data.Words  a.hs:1:2   14       5   90.0   70.0    90.0   "
    "70.0\n";

constexpr std::string_view kTicks =
    "COST CENTRE MODULE SRC  no. entries  %time %alloc   %time %alloc  ticks  "
    "bytes\n\n"
    "MAIN        MAIN   <b>   12       0    0.0    0.0   100.0  100.0      0  "
    "  728\n"
    " go         Main   a.hs  14       5  100.0  100.0   100.0  100.0     23  "
    " 4096\n";

std::string fold_ghc(std::string_view text,
                     ReadOptions::GhcColumn column = {}) {
  return folded(read_text("ghcprof", std::string(kTitle) + std::string(text),
                          {.ghc_column = column}));
}

TEST(GhcProf, CountsTenthsOfAPercent) {
  EXPECT_EQ(fold_ghc(kTime),
            "MAIN.MAIN 0\nMAIN.MAIN;Main.main 100\n"
            "MAIN.MAIN;Main.main;Data.Words.go 900\n");
}

TEST(GhcProf, CountsTicks) {
  EXPECT_EQ(fold_ghc(kTicks, ReadOptions::GhcColumn::kTicks),
            "MAIN.MAIN 0\nMAIN.MAIN;Main.go 23\n");
}

TEST(GhcProf, CountsBytes) {
  EXPECT_EQ(fold_ghc(kTicks, ReadOptions::GhcColumn::kBytes),
            "MAIN.MAIN 728\nMAIN.MAIN;Main.go 4096\n");
}

TEST(GhcProf, ReportsHowToGetTicks) {
  EXPECT_THROW(fold_ghc(kTime, ReadOptions::GhcColumn::kTicks), Error);
}

TEST(GhcProf, CountsCharactersNotBytes) {
  EXPECT_EQ(fold_ghc("COST CENTRE MODULE SRC no. entries  %time %alloc   "
                     "%time %alloc\n\n"
                     "∘∘          Größe  <b>  12       0    1.0    0.0   "
                     "100.0  100.0\n"),
            "Größe.∘∘ 10\n");
}

TEST(GhcProf, ReadsOldReportsWithoutSource) {
  EXPECT_EQ(fold_ghc("COST CENTRE MODULE           no. entries  %time %alloc "
                     "  %time %alloc\n\n"
                     "MAIN        MAIN              12       0    1.0    0.0  "
                     " 100.0  100.0\n"),
            "MAIN.MAIN 10\n");
}

TEST(GhcProf, RefusesARowWhoseColumnsAreShifted) {
  const Profile profile =
      read_text("ghcprof",
                std::string(kTitle) +
                    "COST CENTRE MODULE SRC no. entries  %time %alloc   "
                    "%time %alloc\n\n"
                    "MAIN        MAIN   <b>  12     999    1.0    0.0   100.0");
  EXPECT_EQ(folded(profile), "");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

TEST(GhcProf, NeedsTheTree) {
  EXPECT_THROW(read_text("ghcprof", kTitle), Error);
}

TEST(GhcProf, IsRecognised) {
  EXPECT_EQ(detect(std::string(kTitle) + "\n")->name, "ghcprof");
}

}  // namespace
}  // namespace wick

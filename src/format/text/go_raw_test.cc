// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

constexpr std::string_view kText =
    "PeriodType: cpu nanoseconds\nPeriod: 10000000\n"
    "Samples:\n"
    "samples/count cpu/nanoseconds[dflt]\n"
    "          2   20000000: 1 2 \n"
    "                thread:[worker]\n"
    "          1   10000000: 2 \n"
    "Locations\n"
    "     1: 0x49923d M=1 strings.(*Builder).grow /src/builder.go:68 s=0\n"
    "             strings.Repeat /src/strings.go:545:3 s=0\n"
    "     2: 0x4b1844 M=1 main.main /home/me/main.go:7 s=0\n"
    "Mappings\n"
    "1: 0x400000/0x4b2000/0x0 /home/me/shop  [FN]\n";

TEST(GoRaw, ReadsTheFirstColumn) {
  EXPECT_EQ(
      folded(select(read_text("go-raw", kText), {})),
      "main.main 1\nmain.main;strings.Repeat;strings.(*Builder).grow 2\n");
}

TEST(GoRaw, MakesAnEventOfEachColumn) {
  EXPECT_EQ(folded(select(read_text("go-raw", kText), {.event = "cpu"})),
            "main.main 10000000\n"
            "main.main;strings.Repeat;strings.(*Builder).grow 20000000\n");
}

// The peer shows only the innermost of the functions of a location.
TEST(GoRaw, KeepsInlinedFunctions) {
  EXPECT_EQ(folded(select(read_text("go-raw", kText), {}),
                   {.annotate_inlined = true}),
            "main.main 1\n"
            "main.main;strings.Repeat;strings.(*Builder).grow_[i] 2\n");
}

TEST(GoRaw, KeepsFilesLinesAndModules) {
  const Profile profile = select(read_text("go-raw", kText), {});
  EXPECT_EQ(folded(profile, {.detail = NameDetail::kLine}),
            "main.main:main.go:7 1\nmain.main:main.go:7;"
            "strings.Repeat:strings.go:545;"
            "strings.(*Builder).grow:builder.go:68 2\n");
  EXPECT_EQ(profile.strings[profile.modules[ModuleId{1}].path],
            "/home/me/shop");
}

TEST(GoRaw, NotesLocationsThatAreMissing) {
  const Profile profile =
      read_text("go-raw", "Period: 1\nSamples:\nn/count\n 4: 1 9\n");
  EXPECT_EQ(folded(profile), "[unknown];[unknown] 4\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 2u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(GoRaw, NamesPlacesWithoutSymbols) {
  EXPECT_EQ(
      folded(read_text("go-raw",
                       "Period: 1\nSamples:\nn/count\n 4: 1\n"
                       "Locations\n     1: 0x12 M=1 \nMappings\n"
                       "1: 0x4/0x5/0x0 /lib/x.so 0123456789abcdef [FN]\n")),
      "[x.so] 4\n");
}

TEST(GoRaw, CountsLinesThatCannotBeRead) {
  const Profile profile = read_text(
      "go-raw",
      "Period: 1\nSamples:\na/count b/count\n 4: 1\n 1 2: 1\nrubbish\n"
      "Locations\n 1: 0x1 f a.go:1 s=0\n 2: x\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 3u);
  EXPECT_EQ(whole_weight(profile), 3);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.h"
#include "builders/read.h"
#include "builders/test_folder.h"
#include "format/registry.h"

namespace wick {
namespace {

TEST(Folded, GivesBackTheSameStacks) {
  EXPECT_EQ(folded(read_text("folded", "main;parse 3\nmain;read 4\n")),
            "main;parse 3\nmain;read 4\n");
}

TEST(Folded, AddsUpEqualStacks) {
  EXPECT_EQ(folded(read_text("folded", "a;b 1\na;b 2\n")), "a;b 3\n");
}

TEST(Folded, KeepsDecimals) {
  EXPECT_EQ(folded(read_text("folded", "a 0.5\nb 1\na 1.25\n")),
            "a 1.75\nb 1\n");
}

TEST(Folded, WritesStacksOfWeightZero) {
  EXPECT_EQ(folded(read_text("folded", "a;b 0\na;c 1\n")), "a;b 0\na;c 1\n");
}

TEST(Folded, SkipsComments) {
  const Profile profile = read_text("folded", "# made by x\na 1\n");
  EXPECT_EQ(folded(profile), "a 1\n");
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Folded, CountsLinesWithoutANumber) {
  const Profile profile = read_text("folded", "a 1\nno number here\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

TEST(Folded, OrdersLinesByTheBytesOfTheStack) {
  EXPECT_EQ(folded(read_text("folded", "f;z 1\nf2 2\nf 3\nf;a 4\n")),
            "f 3\nf2 2\nf;a 4\nf;z 1\n");
}

TEST(Folded, KeepsTwoColumnsAsTwoEvents) {
  const Profile profile = read_text("folded", "a;b 1 3\na 2 0\n");
  EXPECT_EQ(profile.events.size(), 2u);
  EXPECT_EQ(folded(profile), "a 2 0\na;b 1 3\n");
}

TEST(Folded, TakesANumberInANameForPartOfTheName) {
  EXPECT_EQ(folded(read_text("folded", "worker 7 1\nmain 2\n")),
            "main 2\nworker 7 1\n");
}

TEST(Folded, KeepsEmptyFrames) {
  EXPECT_EQ(folded(read_text("folded", "a;;b; 1\n")), "a;;b; 1\n");
}

TEST(Folded, ReadsCarriageReturns) {
  EXPECT_EQ(folded(read_text("folded", "a;b 1\r\nc 2\r\n")), "a;b 1\nc 2\n");
}

TEST(Folded, CutsWeightsThatDoNotFitAndReportsIt) {
  const Profile profile =
      read_text("folded", "a 9000000000000000000\na 9000000000000000000\n",
                {.keep_time = false});
  EXPECT_EQ(folded(profile), "a 9223372036854775807\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kOverflow), 1u);
}

TEST(Folded, WritesNamesThatDoNotEndTheirLine) {
  Profile profile;
  profile.samples.push_back(
      {.weight = 1,
       .stack =
           profile.stacks.push(StackId::kRoot, profile.named_frame("a;b\nc\r")),
       .event = profile.event_id("samples")});
  EXPECT_EQ(folded(profile), "a:b c  1\n");
}

TEST(Folded, KeepsNamesWithZeros) {
  const std::string text("a\0b;c 5\nd 3\n", 12);
  EXPECT_EQ(folded(read_text("", text)), text);
}

TEST(Folded, SkipsAByteOrderMark) {
  EXPECT_EQ(folded(read_text("folded",
                             "\xef\xbb\xbf"
                             "a 1\na 2\n")),
            "a 3\n");
}

TEST(Folded, ReportsThatANumberIsTooLarge) {
  const Profile profile = read_text("folded", "a 99999999999999999999\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kOverflow), 1u);
}

TEST(Folded, IsNotSeenInABinaryFile) {
  InputFile file = InputFile::from_memory("x", std::string("\x7f"
                                                           "ELF\0\1 \2\n\0 x\n",
                                                           13));
  EXPECT_THROW(read_profile(file, {}), Error);
}

TEST(Folded, FailsIfTheFileBecomesShorterMeanwhile) {
  const TestFolder folder;
  const std::string path = folder.path() + "/in.folded";
  std::ofstream out(path);
  for (int i = 0; i < 200'000; ++i) out << "main;f" << i << " 1\n";
  out.close();
  InputFile file = InputFile::open(path);
  std::filesystem::resize_file(path, 1000);
  try {
    read_profile(file, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), path + ": became shorter while it was read");
  }
}

TEST(Folded, AStackThatIsTooDeepIsCutAndSaidSo) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "f;";
  const Profile profile =
      read_text("folded", text + "g 5\n" + text + "h 3\nf;f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kCutStack), 2u);
  const std::string lines = folded(profile);
  EXPECT_TRUE(lines.ends_with(";f;f;[truncated] 8\n"));
  EXPECT_EQ(std::ranges::count(lines, ';'), 1 + 16'383);
}

TEST(Folded, NeighboursThatAreTooDeepShareTheirNames) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "f;";
  const Profile profile = read_text("folded", text + "g 5\n" + text + "g 3\n");
  EXPECT_EQ(profile.stacks.size(), 16'384u + 1 + 1);  // the root, the mark
}

}  // namespace
}  // namespace wick

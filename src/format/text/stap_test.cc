// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Stap, ReadsFramesUpToACount) {
  EXPECT_EQ(folded(read_text("stap",
                             " 0xff01 : halt+0xb/0x10 [kernel]\n"
                             " 0x4011 : main+0x16/0x20 [/usr/bin/shop]\n"
                             "\t24\n"
                             " 0xff02 : halt+0xc/0x10 [kernel]\n"
                             " 0x4012 : main+0x17/0x20 [/usr/bin/shop]\n 6\n")),
            "main;halt 30\n");
}

TEST(Stap, TellsTheKernelFromPrograms) {
  EXPECT_EQ(folded(read_text("stap",
                             " 0xff01 : read+0xb/0x10 [ext4] (inexact)\n"
                             " 0x4011 : main+0x16/0x20 [/usr/bin/shop]\n24\n"),
                   {.annotate_kernel = true}),
            "main;read_[k] 24\n");
}

TEST(Stap, NamesUnknownFramesByTheirModule) {
  EXPECT_EQ(folded(read_text("stap",
                             " 0x7f00 : 0x7f00 [/lib/libx.so+0x10/0x80]\n"
                             " 0x7f01\n1\n")),
            "[unknown];[libx.so] 1\n");
}

TEST(Stap, ReadsFramesWithoutAddress) {
  EXPECT_EQ(folded(read_text("stap", " f(int)+0x1\n main\n3\n")), "main;f 3\n");
}

TEST(Stap, ReadsABracketThatOnlyCloses) {
  EXPECT_EQ(folded(read_text("stap", " 0x1 : f]\n3\n")), "f] 3\n");
}

TEST(Stap, NotesACountThatIsMissing) {
  const Profile profile = read_text("stap", " f\n 3\n g\n");
  EXPECT_EQ(folded(profile), "f 3\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(Stap, CountsNumbersThatAreTooLarge) {
  const Profile profile =
      read_text("stap", " f\n 99999999999999999999\n g\n 1\n");
  EXPECT_EQ(folded(profile), "g 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

constexpr std::string_view kDump =
    "Timeout (0:00:00.1)!\n"
    "Thread 0x00007f6c (most recent call first):\n"
    "  File \"/srv/shop.py\", line 4 in price\n"
    "  File \"/srv/shop.py\", line 9 in <module>\n\n";

TEST(Faulthandler, ReadsASampleOfEachThread) {
  EXPECT_EQ(folded(read_text("faulthandler", kDump)), "<module>;price 1\n");
}

TEST(Faulthandler, KeepsFilesAndLines) {
  EXPECT_EQ(
      folded(read_text("faulthandler", kDump), {.detail = NameDetail::kLine}),
      "<module>:shop.py:9;price:shop.py:4 1\n");
}

TEST(Faulthandler, NamesFramesLikePerlIfAsked) {
  EXPECT_EQ(folded(read_text("faulthandler", kDump, {.compat = Compat::kPerl})),
            "/srv/shop.py:9:<module>;/srv/shop.py:4:price 1\n");
}

TEST(Faulthandler, TakesTheNameOfTheThread) {
  EXPECT_EQ(folded(read_text("faulthandler",
                             "Current thread 0x7f [io; 1] (most recent call "
                             "first):\n  File \"a.py\", line 1 in f\n")),
            "io: 1;f 1\n");
}

TEST(Faulthandler, ReadsEveryKindOfHeaderAndFrame) {
  const Profile profile = read_text(
      "faulthandler",
      "Fatal Python error: Segmentation fault\n\n"
      "Stack (most recent call first):\n  File \"a b.py\", line ??? in f\n"
      "  File <frozen runpy>, line 3 in g\n  ...\n"
      "Thread 0x1 (most recent call first):\n  <no Python frame>\n\n"
      "Current thread's C stack trace (most recent call first):\n"
      "  Binary file \"/lib/x.so\", at f+0x1 [0x7f]\n\n"
      "Extension modules: numpy (total: 1)\n");
  EXPECT_EQ(folded(profile), " 1\ng;f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 0u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 1u);
}

TEST(Faulthandler, CountsFramesThatCannotBeRead) {
  const Profile profile = read_text("faulthandler",
                                    "Thread 0x1 (most recent call first):\n"
                                    "  File \"a.py\", line 1 in f\n"
                                    "  File \"a.py\", line x\n");
  EXPECT_EQ(folded(profile), "f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

}  // namespace
}  // namespace wick

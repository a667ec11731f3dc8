// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Aix, ReadsASampleOfEachThread) {
  EXPECT_EQ(folded(read_text("aix",
                             "15: /usr/sbin/syncd 60\n"
                             "---------- tid# 41 (pthread ID:      1) ------\n"
                             "0xd0  _p_nsleep(?, ?) + 0x10\n"
                             "0xd1  main(?, ?) + 0xb4\n"
                             "---------- tid# 42 ----------\n"
                             "0xd1  run() + 0xb4\n")),
            "/usr/sbin/syncd;main;_p_nsleep 1\n/usr/sbin/syncd;run 1\n");
}

TEST(Aix, ReadsProcessesWithOneThread) {
  EXPECT_EQ(folded(read_text("aix",
                             "11928 : -sh\n"
                             "d01d15c4  waitpid   (?, ?, ?) + e0\n"
                             "10000100  __start   () + 8c\n")),
            "-sh;__start;waitpid 1\n");
}

TEST(Aix, KeepsThreads) {
  const Profile profile = read_text(
      "aix", "15: a\n---------- tid# 41 ----------\n0xd0  f() + 0x1\n");
  EXPECT_EQ(profile.threads[ThreadId{1}].pid, 15);
  EXPECT_EQ(profile.threads[ThreadId{1}].tid, 41);
}

TEST(Aix, CountsLinesThatCannotBeRead) {
  const Profile profile =
      read_text("aix", "15: a\n0xd0  f() + 0x1\n0xd1  g()\n");
  EXPECT_EQ(folded(profile), "a;f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

}  // namespace
}  // namespace wick

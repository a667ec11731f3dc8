// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Gdb, ReadsASampleOfEachThread) {
  EXPECT_EQ(folded(read_text("gdb",
                             "Thread 2 (Thread 0x7f (LWP 12) \"io pool\"):\n"
                             "#0  0x01 in read () from /lib/libc.so.6\n"
                             "#1  0x02 in main () at a.c:3\n\n"
                             "Thread 1 (Thread 0x7e (LWP 11)):\n"
                             "#0  main () at a.c:9\n")),
            "io pool;main;read 1\nmain 1\n");
}

TEST(Gdb, AddsUpDumps) {
  const std::string dump = "Thread 1 (LWP 5 \"a\"):\n#0  f () at a.c:1\n";
  EXPECT_EQ(folded(read_text("gdb", dump + "\n" + dump + dump)), "a;f 3\n");
}

TEST(Gdb, ReadsStacksWithoutThreads) {
  EXPECT_EQ(folded(read_text("gdb",
                             "#0  f () at a.c:1\n#1  main ()\n"
                             "#0  g () at a.c:1\n#1  main ()\n")),
            "main;f 1\nmain;g 1\n");
}

TEST(Gdb, TellsNamesFromArguments) {
  EXPECT_EQ(
      folded(read_text(
          "gdb",
          "#0  0x1 in std::function<void (int)>::operator()(int) const "
          "(__args#0=<optimized out>, this=0x7f) at std_function.h:591\n"
          "#1  (anonymous namespace)::serve(int, std::function<void(int)> &) "
          "(n=1, f=...) at worker.cc:12\n"
          "#2  operator() (__closure=0x7f) at worker.cc:17\n"
          "#3  0x2 in std::thread::join() () from /lib/libstdc++.so.6\n")),
      "std::thread::join;operator();(anonymous namespace)::serve;"
      "std::function<void (int)>::operator() 1\n");
}

TEST(Gdb, IsNotMisledByQuotedArguments) {
  EXPECT_EQ(folded(read_text("gdb",
                             "#0  f (s=0x1 \"a) at b.c:1 (\", c=41 ')') at "
                             "x.c:1\n#1  main () at x.c:2\n")),
            "main;f 1\n");
}

TEST(Gdb, JoinsWrappedFrames) {
  EXPECT_EQ(folded(read_text("gdb",
                             "#0  0x1 in f (a=1, \n    b=2) at a.c:1\n"
                             "#1  0x2 in g (x=1)\n    at /a/b.c:7\n")),
            "g;f 1\n");
}

TEST(Gdb, LeavesLocalVariablesAlone) {
  const Profile profile =
      read_text("gdb",
                "#0  f (a=1) at a.c:1\n        x = (int *) 0x1\n"
                "No locals.\n#1  main () at a.c:2\n");
  EXPECT_EQ(folded(profile), "main;f 1\n");
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Gdb, KeepsFilesLinesAndModules) {
  const Profile profile = read_text("gdb",
                                    "#0  0x10 in ?? () from /lib/x.so\n"
                                    "#1  0x20 in main () at a/b.c:33\n",
                                    {.keep_addresses = true});
  EXPECT_EQ(folded(profile, {.detail = NameDetail::kLine}),
            "main:b.c:33;[x.so] 1\n");
  EXPECT_EQ(profile.frames[profile.stacks.frame(StackId{1})].address, 0x20u);
}

TEST(Gdb, KeepsSignalHandlers) {
  EXPECT_EQ(folded(read_text("gdb",
                             "#0  f ()\n#1  <signal handler called>\n"
                             "#2  main ()\n")),
            "main;<signal handler called>;f 1\n");
}

TEST(Gdb, CountsFramesThatCannotBeRead) {
  const Profile profile =
      read_text("gdb", "#0  f () at a.c:1\n#1  rubbish\nnoise\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
  EXPECT_EQ(folded(profile), "f 1\n");
}

}  // namespace
}  // namespace wick

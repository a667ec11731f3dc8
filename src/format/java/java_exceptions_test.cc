// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(JavaExceptions, ReadsStacksAmongOtherLines) {
  EXPECT_EQ(folded(read_text("java-exceptions",
                             "10:15 started at port 8080 (http)\n"
                             "java.lang.Error: no\n"
                             "\tat a.B.c(B.java:1) ~[b.jar:1.0]\n"
                             "\tat a.B.main(B.java:9)\n"
                             "10:16 next\n"
                             "java.lang.Error\n"
                             "\tat a.B.c(B.java:1)\n"
                             "\tat a.B.main(B.java:9)\n")),
            "a.B.main;a.B.c 2\n");
}

// Perl leaves out what "... 1 more" stands for, so causes have no callers.
TEST(JavaExceptions, PutsCommonFramesInTheirPlace) {
  EXPECT_EQ(folded(read_text("java-exceptions",
                             "java.lang.Error: no\n"
                             "\tat a.B.c(B.java:1)\n"
                             "\tat a.B.main(B.java:9)\n"
                             "Caused by: java.io.IOException: disk\n"
                             "\tat a.D.read(D.java:7)\n"
                             "\t... 1 more\n"
                             "Caused by: java.lang.Error: x\n"
                             "\tat a.D.open(D.java:3)\n"
                             "\t... 2 common frames omitted\n")),
            "a.B.main;a.B.c 1\na.B.main;a.D.read 1\n"
            "a.B.main;a.D.read;a.D.open 1\n");
}

TEST(JavaExceptions, DoesNotTakeFramesOfAnotherException) {
  EXPECT_EQ(folded(read_text("java-exceptions",
                             "java.lang.Error: no\n\tat a.B.main(B.java:9)\n"
                             "log\njava.lang.Error: cut\n"
                             "\tat a.D.read(D.java:7)\n\t... 5 more\n")),
            "a.B.main 1\na.D.read 1\n");
}

TEST(JavaExceptions, ShortensPackagesIfAsked) {
  EXPECT_EQ(folded(read_text("java-exceptions", "\tat com.shop.B.c(B.java:1)\n",
                             {.shorten_packages = true})),
            "c.s.B.c 1\n");
}

TEST(JavaExceptions, LeavesPackagesOutIfAsked) {
  EXPECT_EQ(folded(read_text("java-exceptions", "\tat com.shop.B.c(B.java:1)\n",
                             {.no_packages = true})),
            "B.c 1\n");
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

TEST(Ljp, ReadsCountDepthAndFrames) {
  EXPECT_EQ(folded(read_text("ljp",
                             "42 2  com.shop.Cart.add(Cart.java:455)\n"
                             "      java.lang.Thread.run(Thread.java:744)\n"
                             "7 1  a.B.<init>(B.java:1)\n")),
            "a.B.<init> 7\njava.lang.Thread.run;com.shop.Cart.add 42\n");
}

TEST(Ljp, NotesFramesThatAreMissing) {
  const Profile profile =
      read_text("ljp", "42 2  com.shop.Cart.add(Cart.java:455)\n");
  EXPECT_EQ(folded(profile), "com.shop.Cart.add 42\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(Ljp, CountsLinesThatCannotBeRead) {
  const Profile profile =
      read_text("ljp", "Total trace count = 1\nx\n1 1  a.B.c(B.java:1)\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

std::string ibm_thread_in(std::string_view state, std::string_view method) {
  return "3XMTHREADINFO      \"exec-12\" J9VMThread:0x1, state:" +
         std::string(state) +
         ", prio=5\n3XMTHREADINFO1            (native thread ID:0x3158, "
         "native priority:0x5)\n3XMTHREADINFO3           Java callstack:\n"
         "4XESTACKTRACE                at " +
         std::string(method) +
         "\n5XESTACKTRACE                   (entered lock: a/B@0x1)\n"
         "4XESTACKTRACE                at java/lang/Thread.run(Thread.java:7)\n"
         "NULL\n";
}

TEST(IbmJava, ReadsThreadsThatRun) {
  EXPECT_EQ(folded(read_text(
                "ibmjava",
                ibm_thread_in(
                    "R", "com/shop/Cart.add(Cart.java:12(Compiled Code))"))),
            "exec-12;java/lang/Thread.run;com/shop/Cart.add 1\n");
}

TEST(IbmJava, NamesThreadsAsAsked) {
  const std::string text =
      ibm_thread_in("R", "com/shop/Cart.add(Cart.java:12)");
  EXPECT_EQ(folded(read_text("ibmjava", text, {.include_thread_id = true})),
            "exec-12-0x3158;java/lang/Thread.run;com/shop/Cart.add 1\n");
  EXPECT_EQ(folded(read_text("ibmjava", text, {.include_thread_name = false})),
            "java/lang/Thread.run;com/shop/Cart.add 1\n");
  EXPECT_EQ(folded(read_text("ibmjava", text, {.shorten_packages = true})),
            "exec-12;j/l/Thread.run;c/s/Cart.add 1\n");
}

TEST(IbmJava, CountsThreadsThatWait) {
  const Profile profile = read_text(
      "ibmjava",
      ibm_thread_in("CW", "java/lang/Object.wait(Native Method)") +
          ibm_thread_in(
              "R", "java/net/SocketInputStream.socketRead0(Native Method)") +
          "3XMTHREADINFO      \"JIT\" J9VMThread:0x1, state:R, prio=5\n"
          "3XMTHREADINFO3           No Java callstack associated\n");
  EXPECT_EQ(whole_weight(profile), 0);
  EXPECT_EQ(profile.diagnostics.count(Problem::kIdle), 3u);
}

TEST(IbmJava, CountsFramesThatCannotBeRead) {
  const Profile profile =
      read_text("ibmjava", ibm_thread_in("R", "rubbish") + "4XESTACKTRACE x\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 2u);
}

}  // namespace
}  // namespace wick

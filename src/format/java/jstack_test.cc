// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

constexpr std::string_view kRuns =
    "\"pool-1-thread-2\" #13 prio=5 tid=0x00007f93 nid=0x5146 runnable\n"
    "   java.lang.Thread.State: RUNNABLE\n"
    "\tat com.shop.Cart.add(Cart.java:12)\n"
    "\t- locked <0x000000069ec18c90> (a com.shop.Cart)\n"
    "\tat java.lang.Thread.run(java.base@17.0.15/Thread.java:840)\n\n";

std::string thread_in(std::string_view state, std::string_view method) {
  return "\"t\" #1 tid=0x1 nid=0x2\n   java.lang.Thread.State: " +
         std::string(state) + "\n\tat " + std::string(method) +
         "(Native Method)\n\tat a.B.run(B.java:1)\n\n";
}

TEST(Jstack, ReadsThreadsThatRun) {
  EXPECT_EQ(folded(read_text("jstack", kRuns)),
            "pool-1-thread;java.lang.Thread.run;com.shop.Cart.add 1\n");
}

TEST(Jstack, AddsUpDumps) {
  EXPECT_EQ(
      folded(read_text("jstack", std::string(kRuns) + std::string(kRuns))),
      "pool-1-thread;java.lang.Thread.run;com.shop.Cart.add 2\n");
}

TEST(Jstack, KeepsTheLastThreadWithoutABlankLine) {
  EXPECT_EQ(folded(read_text("jstack", kRuns.substr(0, kRuns.size() - 2))),
            "pool-1-thread;java.lang.Thread.run;com.shop.Cart.add 1\n");
}

TEST(Jstack, NamesThreadsAsAsked) {
  EXPECT_EQ(folded(read_text("jstack", kRuns, {.include_thread_id = true})),
            "pool-1-thread-2;java.lang.Thread.run;com.shop.Cart.add 1\n");
  EXPECT_EQ(folded(read_text("jstack", kRuns, {.include_thread_name = false})),
            "java.lang.Thread.run;com.shop.Cart.add 1\n");
}

TEST(Jstack, ShortensPackagesIfAsked) {
  EXPECT_EQ(folded(read_text("jstack", kRuns, {.shorten_packages = true})),
            "pool-1-thread;j.l.Thread.run;c.s.Cart.add 1\n");
}

TEST(Jstack, CountsThreadsThatWait) {
  const Profile profile = read_text(
      "jstack",
      std::string(kRuns) +
          thread_in("WAITING (parking)", "jdk.internal.misc.Unsafe.park") +
          thread_in("RUNNABLE", "sun.nio.ch.EPoll.wait") +
          thread_in("BLOCKED (on object monitor)", "a.B.c"));
  EXPECT_EQ(whole_weight(profile), 1);
  EXPECT_EQ(profile.diagnostics.count(Problem::kIdle), 3u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kIdle), 3);
}

TEST(Jstack, CountsThreadsOfTheJvmAsWaiting) {
  const Profile profile = read_text(
      "jstack",
      "\"Signal Dispatcher\" #4 daemon tid=0x1 nid=0x2 waiting on condition\n"
      "   java.lang.Thread.State: RUNNABLE\n\n"
      "\"VM Thread\" os_prio=0 tid=0x00007f93 nid=0x5139 runnable\n\n"
      "JNI global refs: 9, weak refs: 0\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kIdle), 2u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 0u);
}

TEST(Jstack, ReadsNamesWithQuotes) {
  const Profile profile =
      read_text("jstack",
                "\"a \"b\"; c\" #4 tid=0x1 nid=20786 runnable\n"
                "   java.lang.Thread.State: RUNNABLE\n\tat a.B.c(B.java:1)\n");
  EXPECT_EQ(folded(profile), "a \"b\": c;a.B.c 1\n");
  EXPECT_EQ(profile.threads[ThreadId{1}].tid, 20786);
}

TEST(Jstack, CountsFramesThatCannotBeRead) {
  const Profile profile =
      read_text("jstack",
                "\"a\" #4 tid=0x1\n   java.lang.Thread.State: RUNNABLE\n"
                "\tat a.B.c(B.java:1)\n\tat rubbish\n");
  EXPECT_EQ(folded(profile), "a;a.B.c 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadLine), 1u);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "perf/events/proc_thread.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(SwitchCounts, AreTheLastLinesOfStatus) {
  EXPECT_EQ(parse_switch_counts("Name:\tvoluntary_ctxt_switches:\n"
                                "voluntary_ctxt_switches:\t150545\n"
                                "nonvoluntary_ctxt_switches:\t545\n"),
            (SwitchCounts{150'545, 545}));
  EXPECT_FALSE(parse_switch_counts("voluntary_ctxt_switches:\t150545\n"));
  EXPECT_FALSE(parse_switch_counts(""));
}

TEST(BlockedAt, InASystemCallOrOutside) {
  EXPECT_EQ(parse_blocked_at("230 0x0 0x0 0x7ffd48ea09e0 0x7ffd48ea0a20 0x0 "
                             "0x0 0x7ffd48ea09c8 0x7fd1153bb503\n"),
            (BlockedAt{0x7ffd'48ea'09c8, 0x7fd1'153b'b503}));
  EXPECT_EQ(parse_blocked_at("-1 0x7ffd48ea09c8 0x401000\n"),
            (BlockedAt{0x7ffd'48ea'09c8, 0x40'1000}));
}

TEST(BlockedAt, IsNothingForARunningThreadOrAnotherText) {
  for (const char* text :
       {"running\n", "", "\n", "-1 0x1", "-1 1 2", "-1 0x1 0x2 0x3",
        "1 0x1 0x2 0x3 0x4 0x5 0x6 0x7 0x8 0x9", "-1 0x1 0xg",
        "-1 0x1 0x10000000000000000"})
    EXPECT_FALSE(parse_blocked_at(text)) << text;
}

TEST(KernelFrameText, HasAFunctionAnOffsetAndPerhapsAModule) {
  const auto plain = parse_kernel_frame("[<0>] hrtimer_nanosleep+0x74/0xf0");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->function, "hrtimer_nanosleep");
  EXPECT_EQ(plain->offset, 0x74u);
  EXPECT_EQ(plain->module, "");
  const auto other = parse_kernel_frame("[<0>] a.b+0x0/0xf0 [nf_tables]");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->function, "a.b");
  EXPECT_EQ(other->module, "nf_tables");
}

TEST(KernelFrameText, OtherLinesAreNone) {
  for (const char* text : {"", "[<0>]", "[<0>] 0xffffffff", "[<0>] f",
                           "[<0>] f+74/0xf0", "[<0>] +0x1/0x2"})
    EXPECT_FALSE(parse_kernel_frame(text)) << text;
}

}  // namespace
}  // namespace wick

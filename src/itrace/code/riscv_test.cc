// SPDX-License-Identifier: Apache-2.0
#include "itrace/code/riscv.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

FlowKind kind(std::uint32_t bits, Xlen xlen = Xlen::k64) {
  return decode_riscv(bits, xlen).kind();
}

TEST(Riscv, CallsLinkThroughRaOrT0) {
  EXPECT_EQ(kind(0x0000006f), FlowKind::kJump);  // j .
  EXPECT_EQ(kind(0x000000ef), FlowKind::kCall);  // jal ra, .
  EXPECT_EQ(kind(0x000002ef), FlowKind::kCall);  // jal t0, .
  EXPECT_EQ(kind(0x0000016f), FlowKind::kJump);  // jal sp, .
}

TEST(Riscv, FollowsTheHintTableOfJalr) {
  EXPECT_EQ(kind(0x00078067), FlowKind::kIndirectJump);  // jr a5
  EXPECT_EQ(kind(0x00008067), FlowKind::kReturn);        // ret
  EXPECT_EQ(kind(0x00028067), FlowKind::kReturn);        // jr t0
  EXPECT_EQ(kind(0x000780e7), FlowKind::kIndirectCall);  // jalr a5
  EXPECT_EQ(kind(0x000080e7), FlowKind::kIndirectCall);  // jalr ra, ra
  EXPECT_EQ(kind(0x000280e7), FlowKind::kSwapLink);      // jalr ra, t0
  EXPECT_EQ(kind(0x000082e7), FlowKind::kSwapLink);      // jalr t0, ra
}

TEST(Riscv, KnowsCompressedTransfers) {
  EXPECT_EQ(kind(0xa001), FlowKind::kJump);          // c.j .
  EXPECT_EQ(kind(0xc101), FlowKind::kBranch);        // c.beqz a0, .
  EXPECT_EQ(kind(0xe101), FlowKind::kBranch);        // c.bnez a0, .
  EXPECT_EQ(kind(0x8082), FlowKind::kReturn);        // ret
  EXPECT_EQ(kind(0x8782), FlowKind::kIndirectJump);  // c.jr a5
  EXPECT_EQ(kind(0x9782), FlowKind::kIndirectCall);  // c.jalr a5
  EXPECT_EQ(kind(0x9282), FlowKind::kSwapLink);      // c.jalr t0
  EXPECT_EQ(kind(0x9002), FlowKind::kBreak);         // c.ebreak
  EXPECT_EQ(kind(0x853e), FlowKind::kPlain);         // c.mv a0, a5
  EXPECT_EQ(kind(0x953e), FlowKind::kPlain);         // c.add a0, a5
}

TEST(Riscv, CJalIsACallOnlyWith32Bits) {
  EXPECT_EQ(kind(0x2001, Xlen::k32), FlowKind::kCall);   // c.jal .
  EXPECT_EQ(kind(0x2005, Xlen::k64), FlowKind::kPlain);  // c.addiw
}

TEST(Riscv, KnowsTrapsAndTheirReturns) {
  EXPECT_EQ(kind(0x00000073), FlowKind::kEcall);
  EXPECT_EQ(kind(0x00100073), FlowKind::kBreak);
  EXPECT_EQ(kind(0x10200073), FlowKind::kXret);   // sret
  EXPECT_EQ(kind(0x30200073), FlowKind::kXret);   // mret
  EXPECT_EQ(kind(0x10500073), FlowKind::kWait);   // wfi
  EXPECT_EQ(kind(0x12000073), FlowKind::kFlush);  // sfence.vma
}

TEST(Riscv, KnowsWhatFlushesThePipeline) {
  EXPECT_EQ(kind(0x12000073), FlowKind::kFlush);  // sfence.vma
  EXPECT_EQ(kind(0x0000100f), FlowKind::kFlush);  // fence.i
  EXPECT_EQ(kind(0x18079073), FlowKind::kFlush);  // csrw satp, a5
  EXPECT_EQ(kind(0x180027f3), FlowKind::kPlain);  // csrr a5, satp
  EXPECT_EQ(kind(0x0ff0000f), FlowKind::kPlain);  // fence
}

TEST(Riscv, AnInstructionInPlaceOfAnotherKeepsItsMarks) {
  const Flow call(FlowKind::kCall, 4);
  const Flow entry = Flow(FlowKind::kUnknown, 2).as_entry().as_place();
  EXPECT_EQ(call.in_place_of(entry), call.as_entry().as_place());
  EXPECT_EQ(entry.in_place_of(call), Flow(FlowKind::kUnknown, 2));
  EXPECT_TRUE(call.goes_on());
  EXPECT_FALSE(call.as_entry().goes_on());
  EXPECT_FALSE(call.as_place().goes_on());
  EXPECT_TRUE(call.as_place().as_place(false).goes_on());
}

TEST(Riscv, LengthIsInTheLowestBits) {
  EXPECT_EQ(decode_riscv(0x8082, Xlen::k64).length(), 2);
  EXPECT_EQ(decode_riscv(0x00008067, Xlen::k64).length(), 4);
  EXPECT_EQ(Flow().length(), 0);
}

TEST(Riscv, IgnoresTheUpperHalfOfACompressedInstruction) {
  EXPECT_EQ(decode_riscv(0xffff8082, Xlen::k64),
            decode_riscv(0x8082, Xlen::k64));
}

TEST(Riscv, DistancesAgreeWithTheAssembler) {
  const auto distance = [](std::uint32_t bits) {
    return riscv_distance(bits, Xlen::k64);
  };
  EXPECT_EQ(distance(0x022000ef), 0x22);   // jal ra, .+0x22
  EXPECT_EQ(distance(0xf8e7fee3), -0x64);  // bgeu a5, a4, .-0x64
  EXPECT_EQ(distance(0xbfd1), -0x2c);      // c.j .-0x2c
  EXPECT_EQ(distance(0xe111), 4);          // c.bnez a0, .+4
  EXPECT_EQ(distance(0x00008067), 0);      // ret
  EXPECT_EQ(distance(0x8082), 0);          // c.ret
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "perf/records/registers.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(PerfRegisters, OfX86AreInDwarfsOrder) {
  // perf: ax bx cx dx si di bp sp ip; DWARF: rax rdx rcx rbx rsi rdi rbp rsp.
  const std::vector<std::uint64_t> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 18};
  const Registers r = unwind_registers(
      Machine::kX86_64,
      {.abi = kRegsAbi64, .mask = 0x1ff | 1 << 18, .values = values});
  EXPECT_EQ(r.value[0], 1u);
  EXPECT_EQ(r.value[1], 4u);
  EXPECT_EQ(r.value[2], 3u);
  EXPECT_EQ(r.value[3], 2u);
  EXPECT_EQ(r.value[6], 7u);
  EXPECT_EQ(r.value[10], 18u);  // r10
  EXPECT_EQ(r.sp, 8u);
  EXPECT_EQ(r.pc, 9u);
  EXPECT_EQ(r.known, 0b1'0000'0100'1111'1111u);
}

TEST(PerfRegisters, ThatNobodyKnowsAreNotKnown) {
  const std::vector<std::uint64_t> values = {kUnknownRegister, 8, 9};
  const Registers r = unwind_registers(
      Machine::kX86_64,
      {.abi = kRegsAbi64, .mask = 0b1'1100'0000, .values = values});
  EXPECT_EQ(r.sp, 8u);
  EXPECT_EQ(r.known, std::uint64_t{1} << 7 | std::uint64_t{1} << 16);
}

TEST(PerfRegisters, OfArm64HaveTheirPcApart) {
  std::vector<std::uint64_t> values(33);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 100 + i;
  const Registers r = unwind_registers(
      Machine::kAArch64,
      {.abi = kRegsAbi64, .mask = 0x1'ffff'ffff, .values = values});
  EXPECT_EQ(r.value[30], 130u);
  EXPECT_EQ(r.sp, 131u);
  EXPECT_EQ(r.value[31], 131u);
  EXPECT_EQ(r.pc, 132u);
  EXPECT_EQ(r.known, 0xffff'ffffu);
}

TEST(PerfRegisters, OfRiscVBeginWithThePc) {
  const std::vector<std::uint64_t> values = {1, 2, 3};
  const Registers r = unwind_registers(
      Machine::kRiscV, {.abi = kRegsAbi64, .mask = 7, .values = values});
  EXPECT_EQ(r.pc, 1u);
  EXPECT_EQ(r.value[1], 2u);  // ra
  EXPECT_EQ(r.sp, 3u);
  EXPECT_EQ(r.known, 0b110u);
}

TEST(PerfRegisters, OfA32BitProgramAreNotTaken) {
  const std::vector<std::uint64_t> values(9);
  EXPECT_EQ(
      unwind_registers(Machine::kX86_64,
                       {.abi = kRegsAbi32, .mask = 0x1ff, .values = values})
          .known,
      0u);
}

TEST(PerfRegisters, WithoutAStackPointerAreNone) {
  const std::vector<std::uint64_t> values = {1};
  EXPECT_EQ(
      unwind_registers(Machine::kX86_64,
                       {.abi = kRegsAbi64, .mask = 1 << 8, .values = values})
          .known,
      0u);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/dwarf_expression.h"

#include <gtest/gtest.h>

#include "builders/cfi_builder.h"

namespace wick {
namespace {

using cfa::breg;
using cfa::deref;
using cfa::op;
using cfa::raw;
using cfa::sleb;
using cfa::uleb;

std::string lit(int value) { return op(0x30 + value); }

// With r7 = 0x1000 and three words there: 10, 20, 30.
ExpressionResult result_of(const std::string& expression,
                           std::optional<std::uint64_t> initial = {}) {
  static const std::string memory =
      raw<std::uint64_t>(10) + raw<std::uint64_t>(20) + raw<std::uint64_t>(30);
  std::uint64_t registers[34] = {};
  registers[7] = 0x1000;
  registers[16] = 0x402b;
  return evaluate(expression,
                  {.registers = registers,
                   .known = 1u << 7 | 1u << 16,
                   .stack = {.start = 0x1000, .bytes = memory}},
                  initial);
}

std::int64_t value_of(const std::string& expression,
                      std::optional<std::uint64_t> initial = {}) {
  const ExpressionResult result = result_of(expression, initial);
  EXPECT_TRUE(result.valid);
  return static_cast<std::int64_t>(result.value);
}

TEST(DwarfExpression, ConstantsOfAllSizes) {
  EXPECT_EQ(value_of(lit(31)), 31);
  EXPECT_EQ(value_of(op(0x08) + raw<std::uint8_t>(200)), 200);
  EXPECT_EQ(value_of(op(0x09) + raw<std::int8_t>(-3)), -3);
  EXPECT_EQ(value_of(op(0x0a) + raw<std::uint16_t>(60000)), 60000);
  EXPECT_EQ(value_of(op(0x0b) + raw<std::int16_t>(-300)), -300);
  EXPECT_EQ(value_of(op(0x0c) + raw<std::uint32_t>(4000000000)), 4000000000);
  EXPECT_EQ(value_of(op(0x0d) + raw<std::int32_t>(-70000)), -70000);
  EXPECT_EQ(value_of(op(0x0e) + raw<std::uint64_t>(1) + op(0x96)), 1);
  EXPECT_EQ(value_of(op(0x10) + uleb(1000)), 1000);
  EXPECT_EQ(value_of(op(0x11) + sleb(-1000)), -1000);
}

TEST(DwarfExpression, RegistersAndMemory) {
  EXPECT_EQ(value_of(breg(7, 8)), 0x1008);
  EXPECT_EQ(value_of(breg(7, 8) + deref()), 20);
  EXPECT_EQ(value_of(op(0x92) + uleb(7) + sleb(16) + deref()), 30);
  EXPECT_EQ(value_of(breg(7, 0) + op(0x94) + "\x01"), 10);
}

TEST(DwarfExpression, StackOperations) {
  EXPECT_EQ(value_of(lit(5) + op(0x12) + op(0x22)), 10);  // dup
  EXPECT_EQ(value_of(lit(5) + lit(6) + op(0x13)), 5);     // drop
  EXPECT_EQ(value_of(lit(5) + lit(6) + op(0x14)), 5);     // over
  EXPECT_EQ(value_of(lit(5) + lit(6) + lit(7) + op(0x15) + "\x02"), 5);
  EXPECT_EQ(value_of(lit(5) + lit(6) + op(0x16) + op(0x1c)), 1);  // swap
  EXPECT_EQ(value_of(lit(1) + lit(2) + lit(3) + op(0x17)), 2);    // rot
}

TEST(DwarfExpression, Arithmetic) {
  EXPECT_EQ(value_of(lit(12) + lit(10) + op(0x1a)), 8);    // and
  EXPECT_EQ(value_of(lit(12) + lit(5) + op(0x1b)), 2);     // div
  EXPECT_EQ(value_of(lit(12) + lit(5) + op(0x1d)), 2);     // mod
  EXPECT_EQ(value_of(lit(12) + lit(5) + op(0x1e)), 60);    // mul
  EXPECT_EQ(value_of(lit(12) + op(0x1f) + op(0x19)), 12);  // neg abs
  EXPECT_EQ(value_of(lit(0) + op(0x20)), -1);              // not
  EXPECT_EQ(value_of(lit(12) + lit(3) + op(0x21)), 15);    // or
  EXPECT_EQ(value_of(lit(12) + op(0x23) + uleb(300)), 312);
  EXPECT_EQ(value_of(lit(1) + lit(4) + op(0x24)), 16);              // shl
  EXPECT_EQ(value_of(lit(16) + lit(4) + op(0x25)), 1);              // shr
  EXPECT_EQ(value_of(lit(16) + op(0x1f) + lit(2) + op(0x26)), -4);  // shra
  EXPECT_EQ(value_of(lit(5) + lit(1) + op(0x27)), 4);               // xor
}

TEST(DwarfExpression, ComparisonsAreSigned) {
  const std::string minus_one = lit(1) + op(0x1f);
  EXPECT_EQ(value_of(minus_one + lit(1) + op(0x2d)), 1);  // lt
  EXPECT_EQ(value_of(minus_one + lit(1) + op(0x2b)), 0);  // gt
  EXPECT_EQ(value_of(lit(1) + lit(1) + op(0x2a)), 1);     // ge
  EXPECT_EQ(value_of(lit(1) + lit(1) + op(0x2c)), 1);     // le
  EXPECT_EQ(value_of(lit(1) + lit(1) + op(0x29)), 1);     // eq
  EXPECT_EQ(value_of(lit(1) + lit(1) + op(0x2e)), 0);     // ne
}

TEST(DwarfExpression, JumpsAreFollowed) {
  EXPECT_EQ(value_of(lit(7) + op(0x2f) + raw<std::int16_t>(1) + lit(8)), 7);
  EXPECT_EQ(
      value_of(lit(7) + lit(0) + op(0x28) + raw<std::int16_t>(1) + lit(8)), 8);
}

// What linkers write for PLT entries: how far into one of 16 bytes the pc is
// says whether something was pushed already.
TEST(DwarfExpression, TheCfaOfAPltEntry) {
  EXPECT_EQ(value_of(breg(7, 8) + breg(16, 0) + lit(15) + op(0x1a) + lit(11) +
                     op(0x2a) + lit(3) + op(0x24) + op(0x22)),
            0x1000 + 8 + 8);
}

TEST(DwarfExpression, TheInitialValueIsOnTheStack) {
  EXPECT_EQ(value_of(lit(2) + op(0x22), 40), 42);
}

TEST(DwarfExpression, WhatMakesNoSenseGivesNothing) {
  EXPECT_FALSE(result_of("").valid);
  EXPECT_FALSE(result_of(op(0x22)).valid);                    // no operands
  EXPECT_FALSE(result_of(lit(1) + lit(0) + op(0x1b)).valid);  // by zero
  EXPECT_FALSE(result_of(lit(1) + lit(0) + op(0x1d)).valid);
  EXPECT_FALSE(result_of(breg(3, 0)).valid);  // not known
  EXPECT_FALSE(result_of(op(0x92) + uleb(200) + sleb(0)).valid);
  EXPECT_FALSE(result_of(op(0x01)).valid);           // no such one
  EXPECT_FALSE(result_of(op(0x0e) + "\x01").valid);  // cut off
  EXPECT_FALSE(result_of(lit(1) + op(0x2f) + raw<std::int16_t>(99)).valid);
}

TEST(DwarfExpression, MinInt64ByMinusOneIsNoTrap) {
  EXPECT_EQ(value_of(op(0x0e) + raw(std::uint64_t{1} << 63) + lit(1) +
                     op(0x1f) + op(0x1b)),
            INT64_MIN);
}

TEST(DwarfExpression, AnEndlessLoopEnds) {
  EXPECT_FALSE(result_of(lit(1) + op(0x2f) + raw<std::int16_t>(-4)).valid);
  EXPECT_FALSE(
      result_of(lit(1) + op(0x96) + op(0x2f) + raw<std::int16_t>(-4)).valid);
}

TEST(DwarfExpression, OnlyTheStackIsRead) {
  EXPECT_EQ(result_of(breg(7, 24) + deref()).bad_address, 0x1018u);
  EXPECT_EQ(result_of(breg(7, 17) + deref()).bad_address, 0x1011u);
  EXPECT_EQ(result_of(breg(7, -1) + deref()).bad_address, 0xfffu);
  EXPECT_EQ(
      result_of(lit(0) + op(0x1f) + lit(1) + op(0x1c) + deref()).bad_address,
      ~std::uint64_t{0});
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Stacks that are made by hand, for machines that are not at hand too.
#include "object/unwind/unwinder.h"

#include <gtest/gtest.h>

#include "builders/cfi_builder.h"

namespace wick {
namespace {

using cfa::advance;
using cfa::def_cfa;
using cfa::def_cfa_offset;
using cfa::offset;
using cfa::op;
using cfa::uleb;
using Addresses = std::vector<std::uint64_t>;

constexpr std::uint64_t kStack = 0x7ffc0000'0000;
constexpr std::uint64_t kBias = 0x55550000'0000;
constexpr std::uint64_t kJit = 0x66660000'0000;

// A module with these functions, and 4 kB of code without rules.
class Code : public UnwindMap {
 public:
  struct Function {
    std::uint64_t start = 0;  // elf_addr; they have 256 bytes
    std::string program;
    bool signal = false;
  };
  explicit Code(const std::vector<Function>& functions)
      : Code(functions, EM_X86_64, 16, def_cfa(7, 8) + offset(16, 1)) {}
  Code(const std::vector<Function>& functions, std::uint16_t machine,
       std::uint64_t ra_reg, const std::string& start) {
    CfiBuilder cfi(0x20000, {.machine = machine});
    const auto plain = cfi.add_cie({.ra_reg = ra_reg, .program = start});
    const auto signal = cfi.add_cie(
        {.augmentation = "zRS", .ra_reg = ra_reg, .program = start});
    for (const Function& function : functions)
      cfi.add_fde(function.signal ? signal : plain, function.start, 256,
                  function.program);
    table_ = cfi.table();
  }

  CodeRange find(std::uint64_t address, CodePlace) const override {
    if (address - kJit < 0x1000) return {.start = kJit, .end = kJit + 0x1000};
    if (address - kBias - 0x1000 >= 0x10000) return {};
    return {.start = kBias + 0x1000,
            .end = kBias + 0x11000,
            .bias = kBias,
            .table = &table_};
  }

 private:
  UnwindTable table_;
};

struct Unwound {
  UnwindEnd end = UnwindEnd::kCount;
  Addresses addresses;  // those of the module from its bias on
};

Unwound unwind(Machine machine, const UnwindMap& code,
               const Registers& registers,
               const std::vector<std::uint64_t>& stack) {
  Unwinder unwinder(machine);
  const std::string_view bytes(reinterpret_cast<const char*>(stack.data()),
                               stack.size() * 8);
  Unwound result;
  result.end = unwinder.unwind(registers, bytes, code, 1, result.addresses);
  for (std::uint64_t& address : result.addresses)
    if (address >> 44 == kBias >> 44) address -= kBias;
  return result;
}

Registers x86(std::uint64_t pc, std::uint64_t rbp = 0) {
  Registers registers;
  registers.pc = registers.value[16] = pc;
  registers.sp = registers.value[7] = kStack;
  registers.value[6] = rbp;
  registers.known = 0x1ffff;
  return registers;
}

const std::string kRoot = cfa::undefined(16);
const std::string kSmallFrame = def_cfa_offset(16);

TEST(Unwinder, FollowsReturnAddressesToTheRoot) {
  const Code code({{0x1000, ""}, {0x2000, kSmallFrame}, {0x3000, kRoot}});
  const Unwound got = unwind(Machine::kX86_64, code, x86(kBias + 0x1005),
                             {kBias + 0x2010, 0, kBias + 0x3020});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{0x1005, 0x200f, 0x301f}));
}

// Behind the last instruction of a function that does not return stands
// another function.
TEST(Unwinder, ACallAtTheEndOfAFunctionBelongsToIt) {
  const Code code({{0x1000, ""}, {0x1100, kRoot}, {0x1200, kSmallFrame}});
  const Unwound got =
      unwind(Machine::kX86_64, code, x86(kBias + 0x1005), {kBias + 0x1200});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{0x1005, 0x11ff}));
}

// Generated code whose rule comes from its instructions, and other code with
// one call.
class InstructionsOnly : public UnwindMap {
 public:
  static constexpr std::uint64_t kCall = kBias + 0x101f;

  CodeRange find(std::uint64_t address, CodePlace place) const override {
    if (address == kJit)
      return {.start = kJit,
              .end = kJit + 1,
              .rule = {.kind = UnwindRule::kOffsets,
                       .cfa_reg = 7,
                       .ra_reg = 16,
                       .ra_saved = true,
                       .count = 1,
                       .cfa_offset = 8,
                       .offset = {-8, -8, -8, -8, -8, -8, -8},
                       .reg = {16, 16, 16, 16, 16, 16, 16},
                       .is_from_code = true}};
    if (place == CodePlace::kPresumedCall && address != kCall) return {};
    return {.start = kBias, .end = kBias + 0x10000};
  }
};

TEST(Unwinder, ARuleFromInstructionsMustLeadToACall) {
  const InstructionsOnly code;
  Unwound got =
      unwind(Machine::kX86_64, code, x86(kJit), {InstructionsOnly::kCall + 1});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{kJit, 0x101f}));
  got = unwind(Machine::kX86_64, code, x86(kJit), {kBias + 0x1030});
  EXPECT_EQ(got.end, UnwindEnd::kBadMemory);
  EXPECT_EQ(got.addresses, Addresses{kJit});
}

TEST(Unwinder, AReturnAddressOfZeroIsTheRoot) {
  const Code code({{0x1000, ""}});
  EXPECT_EQ(unwind(Machine::kX86_64, code, x86(kBias + 0x1005), {0}).end,
            UnwindEnd::kRoot);
}

TEST(Unwinder, SavedRegistersLeadToTheNextFrame) {
  // 0x1000 has pushed rbp; 0x2000 has its CFA in rbp.
  const Code code({{0x1000, def_cfa_offset(16) + offset(6, 2)},
                   {0x2000, def_cfa(6, 16) + offset(6, 2)},
                   {0x3000, kRoot}});
  const Unwound got =
      unwind(Machine::kX86_64, code, x86(kBias + 0x1005),
             {kStack + 32, kBias + 0x2010, 0, 0, 0, kBias + 0x3020});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{0x1005, 0x200f, 0x301f}));
}

// At "ret", rbp is restored, but compilers leave the rule for it as it was.
TEST(Unwinder, ARegisterThatIsBackIsNotReadFromBelowTheStack) {
  const Code code({{0x1000, def_cfa_offset(8) + offset(6, 2)},
                   {0x2000, def_cfa(6, 16)},
                   {0x3000, kRoot}});
  const Unwound got =
      unwind(Machine::kX86_64, code, x86(kBias + 0x1005, kStack + 8),
             {kBias + 0x2010, 0, kBias + 0x3020});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{0x1005, 0x200f, 0x301f}));
}

TEST(Unwinder, MoreSavedRegistersThanUsualAreRestored) {
  std::string program = def_cfa_offset(96);
  for (int reg = 8; reg < 16; ++reg)
    program += offset(reg, static_cast<std::uint64_t>(reg - 6));
  const Code code(
      {{0x1000, program}, {0x2000, def_cfa(15, 8)}, {0x3000, kRoot}});
  std::vector<std::uint64_t> stack(16);
  stack[12 - 9] = kStack + std::uint64_t{14} * 8;  // r15 at CFA - 72
  stack[11] = kBias + 0x2010;
  stack[14] = kBias + 0x3020;
  const Unwound got =
      unwind(Machine::kX86_64, code, x86(kBias + 0x1005), stack);
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses.size(), 3u);
}

TEST(Unwinder, AnInterruptedFrameHasItsExactAddress) {
  // The trampoline's frame: pc at CFA - 8 of a stack that is elsewhere.
  const Code code({{0x1000, ""},
                   {0x2000,
                    cfa::def_cfa_expression(cfa::breg(7, 8) + cfa::deref()) +
                        op(0x10) + uleb(16) + cfa::block(cfa::breg(7, 16)),
                    true},
                   {0x3000, ""},
                   {0x4000, kRoot}});
  const Unwound got = unwind(
      Machine::kX86_64, code, x86(kBias + 0x1005),
      {kBias + 0x2001, 0, kStack + 40, kBias + 0x3000, 0, kBias + 0x4020});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{0x1005, 0x2000, 0x3000, 0x401f}));
}

TEST(Unwinder, RegistersInRegistersAreFound) {
  const Code code({{0x1000, op(0x09) + uleb(16) + uleb(1)}, {0x3000, kRoot}});
  Registers registers = x86(kBias + 0x1005);
  registers.value[1] = kBias + 0x3020;
  const Unwound got = unwind(Machine::kX86_64, code, registers, {0, 0});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{0x1005, 0x301f}));
}

TEST(Unwinder, ReportsWhenTheCopyIsTooShort) {
  const Code code({{0x1000, def_cfa_offset(64)}});
  EXPECT_EQ(unwind(Machine::kX86_64, code, x86(kBias + 0x1005),
                   std::vector<std::uint64_t>(7))
                .end,
            UnwindEnd::kStackTooShort);
  EXPECT_EQ(unwind(Machine::kX86_64, code, x86(kBias + 0x1005), {}).end,
            UnwindEnd::kStackTooShort);
}

TEST(Unwinder, ReportsWhenARuleLeadsOutsideOfTheStack) {
  const Code code({{0x1000, def_cfa(6, 16)}});
  const std::vector<std::uint64_t> stack(8);
  for (const std::uint64_t rbp :
       {std::uint64_t{0}, kStack - 4096, kStack + (std::uint64_t{1} << 40),
        ~std::uint64_t{7}})
    EXPECT_EQ(
        unwind(Machine::kX86_64, code, x86(kBias + 0x1005, rbp), stack).end,
        UnwindEnd::kBadMemory)
        << rbp;
}

TEST(Unwinder, AReturnAddressOutsideOfCodeIsNotShown) {
  const Code code({{0x1000, ""}});
  const Unwound got =
      unwind(Machine::kX86_64, code, x86(kBias + 0x1005), {0x1234});
  EXPECT_EQ(got.end, UnwindEnd::kBadMemory);
  EXPECT_EQ(got.addresses, (Addresses{0x1005}));
}

TEST(Unwinder, CodeWithoutRulesIsWalkedByItsFramePointer) {
  const Code code({{0x1000, kRoot}});
  const Unwound got =
      unwind(Machine::kX86_64, code, x86(kJit + 5, kStack + 8),
             {0, kStack + 32, kJit + 0x100, 0, 7, kBias + 0x1020});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{kJit + 5, kJit + 0xff, 0x101f}));
}

TEST(Unwinder, AFramePointerOfZeroIsTheRoot) {
  const Code code({});
  EXPECT_EQ(unwind(Machine::kX86_64, code, x86(kJit + 5, 0), {0, 0}).end,
            UnwindEnd::kRoot);
}

TEST(Unwinder, AFramePointerThatIsNoneIsNotFollowed) {
  const Code code({});
  const std::vector<std::uint64_t> stack = {0, 1, kJit + 7, 0};
  EXPECT_EQ(unwind(Machine::kX86_64, code, x86(kJit + 5, 42), stack).end,
            UnwindEnd::kNoRule);
  EXPECT_EQ(
      unwind(Machine::kX86_64, code, x86(kJit + 5, kStack + 9), stack).end,
      UnwindEnd::kNoRule);
}

TEST(Unwinder, RegistersThatAFramePointerFrameHidIsNotUsed) {
  // After the JIT's frame nobody knows rbx.
  const Code code({{0x1000, def_cfa(3, 16)}});
  Registers registers = x86(kJit + 5, kStack + 8);
  registers.value[3] = kStack + 24;
  const Unwound got = unwind(Machine::kX86_64, code, registers,
                             {0, 0, kBias + 0x1020, 0, kBias + 0x1020, 0});
  EXPECT_EQ(got.end, UnwindEnd::kNoRule);
  EXPECT_EQ(got.addresses, (Addresses{kJit + 5, 0x101f}));
}

TEST(Unwinder, FramesAreNotFollowedForEver) {
  const Code code({{0x1000, ""}});
  const Unwound got = unwind(Machine::kX86_64, code, x86(kBias + 0x1005),
                             std::vector<std::uint64_t>(8192, kBias + 0x1010));
  EXPECT_EQ(got.end, UnwindEnd::kTooDeep);
  EXPECT_EQ(got.addresses.size(), std::size_t{Unwinder::kMaxFrames});
}

TEST(Unwinder, ARecursionThatFills64KilobytesIsFollowed) {
  const Code code({{0x1000, def_cfa_offset(24)}, {0x2000, kRoot}});
  std::vector<std::uint64_t> stack(8190, kBias + 0x1010);
  stack.back() = kBias + 0x2010;
  const Unwound got =
      unwind(Machine::kX86_64, code, x86(kBias + 0x1005), stack);
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses.size(), 8190u / 3 + 1);
}

TEST(Unwinder, RulesAreLookedUpAnewForANewVersion) {
  const Code one({{0x1000, kRoot}}), two({{0x1000, ""}, {0x2000, kRoot}});
  Unwinder unwinder(Machine::kX86_64);
  const std::uint64_t stack = kBias + 0x2010;
  const std::string_view bytes(reinterpret_cast<const char*>(&stack), 8);
  Addresses out;
  unwinder.unwind(x86(kBias + 0x1005), bytes, one, 1, out);
  EXPECT_EQ(out.size(), 1u);
  out.clear();
  unwinder.unwind(x86(kBias + 0x1005), bytes, two, 2, out);
  EXPECT_EQ(out.size(), 2u);
}

TEST(Unwinder, AMachineThatIsNotKnownHasOneFrame) {
  const Code code({{0x1000, ""}});
  const Unwound got =
      unwind(Machine::kOther, code, x86(kBias + 0x1005), {0, 0});
  EXPECT_EQ(got.end, UnwindEnd::kNoRule);
  EXPECT_EQ(got.addresses, (Addresses{0x1005}));
}

Registers aarch64(std::uint64_t pc, std::uint64_t lr, std::uint64_t fp = 0) {
  Registers registers;
  registers.pc = pc;
  registers.sp = registers.value[31] = kStack;
  registers.value[30] = lr;
  registers.value[29] = fp;
  registers.known = 0xffffffff;
  return registers;
}

Code aarch64_code() {
  return Code({{0x1000, ""},
               {0x2000, def_cfa_offset(32) + offset(29, 4) + offset(30, 3)},
               {0x3000, cfa::undefined(30)}},
              EM_AARCH64, 30, def_cfa(31, 0));
}

TEST(UnwinderAArch64, ALeafHasItsReturnAddressInARegister) {
  const Unwound got = unwind(Machine::kAArch64, aarch64_code(),
                             aarch64(kBias + 0x1004, kBias + 0x2010),
                             {0, kBias + 0x3020, 0, 0});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{0x1004, 0x200f, 0x301f}));
}

TEST(UnwinderAArch64, SignaturesOfReturnAddressesAreTakenOff) {
  const std::uint64_t signature = std::uint64_t{0x1a2b} << 48;
  const Unwound got =
      unwind(Machine::kAArch64, aarch64_code(),
             aarch64(kBias + 0x1004, signature | (kBias + 0x2010)),
             {0, signature | (kBias + 0x3020), 0, 0});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{0x1004, 0x200f, 0x301f}));
}

TEST(UnwinderAArch64, OnlyALeafMayHaveItsReturnAddressInARegister) {
  const Unwound got =
      unwind(Machine::kAArch64, aarch64_code(),
             aarch64(kBias + 0x1004, kBias + 0x1010), {0, 0, 0, 0});
  EXPECT_EQ(got.end, UnwindEnd::kBadMemory);
  EXPECT_EQ(got.addresses, (Addresses{0x1004, 0x100f}));
}

TEST(UnwinderAArch64, CodeWithoutRulesIsWalkedByItsFramePointer) {
  const Unwound got = unwind(Machine::kAArch64, aarch64_code(),
                             aarch64(kJit + 4, 0, kStack + 16),
                             {0, 0, kStack + 32, kBias + 0x3020, 0, 0});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{kJit + 4, 0x301f}));
}

Registers riscv(std::uint64_t pc, std::uint64_t ra, std::uint64_t fp = 0) {
  Registers registers;
  registers.pc = pc;
  registers.sp = registers.value[2] = kStack;
  registers.value[1] = ra;
  registers.value[8] = fp;
  registers.known = 0xffffffff;
  return registers;
}

Code riscv_code() {
  return Code({{0x1000, ""},
               {0x2000, def_cfa_offset(32) + offset(1, 1) + offset(8, 2)},
               {0x3000, cfa::undefined(1)}},
              EM_RISCV, 1, def_cfa(2, 0));
}

TEST(UnwinderRiscV, ALeafHasItsReturnAddressInARegister) {
  const Unwound got =
      unwind(Machine::kRiscV, riscv_code(),
             riscv(kBias + 0x1004, kBias + 0x2010), {0, 0, 0, kBias + 0x3020});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{0x1004, 0x200f, 0x301f}));
}

TEST(UnwinderRiscV, CodeWithoutRulesIsWalkedByItsFramePointer) {
  const Unwound got =
      unwind(Machine::kRiscV, riscv_code(), riscv(kJit + 4, 0, kStack + 32),
             {0, 0, kStack + 64, kBias + 0x3020, 0, 0});
  EXPECT_EQ(got.end, UnwindEnd::kRoot);
  EXPECT_EQ(got.addresses, (Addresses{kJit + 4, 0x301f}));
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/straight_code.h"

#include <gtest/gtest.h>

#include <string>

#include "base/bytes.h"
#include "builders/cfi_builder.h"

namespace wick {
namespace {

using namespace std::string_view_literals;

// Python's, as Debian builds it.
constexpr std::string_view kX86Trampoline =
    "\xf3\x0f\x1e\xfa"  // 0: endbr64
    "\x48\x83\xec\x08"  // 4: sub $8, %rsp
    "\xff\xd1"          // 8: call *%rcx
    "\x48\x83\xc4\x08"  // 10: add $8, %rsp
    "\xc3"              // 14: ret
    "\x00"sv;

std::string rule_at(std::string_view code, std::size_t at,
                    Machine machine = Machine::kX86_64) {
  const auto rule = rule_of_straight_code(machine, {.bytes = code, .at = at});
  return rule ? rule_text(*rule) : "-";
}
// Of a caller: `at` is the last byte of its call.
std::string rule_of_caller(std::string_view code, std::size_t at,
                           Machine machine = Machine::kX86_64) {
  const auto rule = rule_of_straight_code(
      machine, {.bytes = code, .at = at, .place = CodePlace::kCall});
  return rule ? rule_text(*rule) : "-";
}

TEST(StraightCode, EachInstructionOfATrampolineHasItsRule) {
  EXPECT_EQ(rule_at(kX86Trampoline, 0), "r7+8 r16=c-8");
  EXPECT_EQ(rule_at(kX86Trampoline, 4), "r7+8 r16=c-8");
  EXPECT_EQ(rule_at(kX86Trampoline, 8), "r7+16 r16=c-8");
  EXPECT_EQ(rule_at(kX86Trampoline, 10), "r7+16 r16=c-8");
  EXPECT_EQ(rule_at(kX86Trampoline, 14), "r7+8 r16=c-8");
  EXPECT_EQ(rule_at(kX86Trampoline, 15), "-");
}

TEST(StraightCode, ACallerIsLookedUpByTheLastByteOfItsCall) {
  EXPECT_EQ(rule_of_caller(kX86Trampoline, 9), "r7+16 r16=c-8");
}

TEST(StraightCode, ACallersRuleBeginsAfterItsCallWhateverItsForm) {
  for (const std::string_view call : {
           "\xff\xd0"sv,                      // call *%rax
           "\xff\x10"sv,                      // call *(%rax)
           "\xff\x50\x58"sv,                  // call *0x58(%rax)
           "\xff\x14\xc1"sv,                  // call *(%rcx,%rax,8)
           "\xff\x54\xc1\x58"sv,              // call *0x58(%rcx,%rax,8)
           "\xff\x15\x00\x00\x00\x58"sv,      // call *…(%rip)
           "\xff\x90\x00\x00\x00\x58"sv,      // call *0x58000000(%rax)
           "\xff\x94\xc1\x00\x00\x00\x58"sv,  // the same with an index
           "\xff\x14\x25\x00\x00\x00\x58"sv,  // call *0x58000000
           "\xe8\x00\x00\x00\x58"sv,          // call …
       }) {
    const std::string code = std::string(call) + "\x48\x83\xc4\x08\xc3";
    EXPECT_EQ(rule_of_caller(code, call.size() - 1), "r7+16 r16=c-8")
        << call.size();
  }
}

TEST(StraightCode, ACallerThatDoesNotCallHasNoRule) {
  EXPECT_EQ(rule_of_caller(kX86Trampoline, 3), "-");        // endbr64
  EXPECT_EQ(rule_of_caller(kX86Trampoline, 8), "-");        // half a call
  EXPECT_EQ(rule_of_caller("\xff\xe0\xc3"sv, 1), "-");      // jmp *%rax
  EXPECT_EQ(rule_of_caller("\xff\x60\x58\xc3"sv, 2), "-");  // jmp *…
  EXPECT_EQ(rule_of_caller("\xd4\xc3"sv, 0), "-");
}

TEST(StraightCode, AnotherFunctionAfterACallThatNeverReturnsIsNotFollowed) {
  for (const std::string_view next : {
           "\xf3\x0f\x1e\xfa\xc3"sv,                  // endbr64; ret
           "\x53\x5b\xc3"sv,                          // push, pop %rbx; ret
           "\x48\x83\xec\x08\x48\x83\xc4\x08\xc3"sv,  // sub, add; ret
       }) {
    EXPECT_EQ(rule_of_caller("\xff\xd1" + std::string(next), 1), "-");
    EXPECT_EQ(rule_at("\xff\xd1" + std::string(next), 0), "-");
  }
}

TEST(StraightCode, AStackThatGrowsAgainHasNoRule) {
  // pop %rbx; push %rax; pop %rbx; ret
  EXPECT_EQ(rule_at("\x5b\x50\x5b\xc3"sv, 0), "-");
  // sub $-8, %rsp; ret
  EXPECT_EQ(rule_at("\x48\x83\xec\xf8\xc3"sv, 0), "-");
}

TEST(StraightCode, APreservedRegisterIsRestoredFromWhereItWasPushed) {
  EXPECT_EQ(rule_at("\x53\x5b\xc3"sv, 0), "r7+8 r16=c-8");  // push, pop %rbx
  EXPECT_EQ(rule_at("\x50\x59\xc3"sv, 0), "r7+8 r16=c-8");  // %rax, %rcx
  EXPECT_EQ(rule_at("\x50\x5b\xc3"sv, 0), "-");             // %rax, %rbx
}

TEST(StraightCode, ASavedFramePointerIsRestoredOnceItWasPushed) {
  constexpr std::string_view kCode =
      "\x55"          // 0: push %rbp
      "\x48\x89\xe5"  // 1: mov %rsp, %rbp
      "\x41\xff\xd3"  // 4: call *%r11
      "\x5d"          // 7: pop %rbp
      "\xc3"sv;       // 8: ret
  EXPECT_EQ(rule_at(kCode, 0), "r7+8 r16=c-8");
  EXPECT_EQ(rule_at(kCode, 1), "r7+16 r6=c-16 r16=c-8");
  EXPECT_EQ(rule_of_caller(kCode, 6), "r7+16 r6=c-16 r16=c-8");
  EXPECT_EQ(rule_at(kCode, 8), "r7+8 r16=c-8");
}

TEST(StraightCode, CodeThatMayJumpHasNoRule) {
  EXPECT_EQ(rule_at("\x48\x83\xc4\x08\x74\x02\xc3"sv, 0), "-");  // je
  EXPECT_EQ(rule_at("\xc9\xc3"sv, 0), "-");                      // leave
  EXPECT_EQ(rule_at("\x5c\xc3"sv, 0), "-");                      // pop %rsp
}

TEST(StraightCode, CodeThatIsCutOffHasNoRule) {
  for (std::size_t size = 0; size < 15; ++size)
    EXPECT_EQ(rule_at(kX86Trampoline.substr(0, size), 0), "-") << size;
}

TEST(StraightCode, CodeThatReturnsBelowItsStackHasNoRule) {
  EXPECT_EQ(rule_at("\x48\x83\xec\x08\xc3"sv, 0), "-");
  EXPECT_EQ(rule_at("\x48\x81\xc4\x00\x00\x00\x70\xc3"sv, 0), "-");
}

std::string arm_code(std::initializer_list<std::uint32_t> instructions) {
  std::string code;
  for (const std::uint32_t one : instructions) append_raw(code, one);
  return code;
}

TEST(StraightCode, ATrampolineOfAArch64HasItsRules) {
  const std::string code = arm_code({0xd503245f,  // 0: bti c
                                     0xa9bf7bfd,  // 4: stp x29, x30, [sp, -16]!
                                     0x910003fd,  // 8: mov x29, sp
                                     0xd63f0060,  // 12: blr x3
                                     0xa8c17bfd,  // 16: ldp x29, x30, [sp], 16
                                     0xd65f03c0});  // 20: ret
  const auto at = [&](std::size_t offset) {
    return rule_at(code, offset, Machine::kAArch64);
  };
  EXPECT_EQ(at(0), "r31+0 ra in r30");
  EXPECT_EQ(at(4), "r31+0 ra in r30");
  EXPECT_EQ(at(8), "r31+16 r29=c-16 r30=c-8");
  EXPECT_EQ(at(16), "r31+16 r29=c-16 r30=c-8");
  EXPECT_EQ(at(20), "r31+0 ra in r30");
  EXPECT_EQ(rule_of_caller(code, 15, Machine::kAArch64),
            "r31+16 r29=c-16 r30=c-8");
  EXPECT_EQ(rule_of_caller(code, 11, Machine::kAArch64), "-");  // no call
}

TEST(StraightCode, ACallOfAArch64MayBeDirect) {
  const std::string code = arm_code({0x94000010,    // bl …
                                     0xa8c17bfd,    // ldp x29, x30, [sp], 16
                                     0xd65f03c0});  // ret
  EXPECT_EQ(rule_of_caller(code, 3, Machine::kAArch64),
            "r31+16 r29=c-16 r30=c-8");
}

TEST(StraightCode, AnotherFunctionOfAArch64AfterACallIsNotFollowed) {
  const std::string code = arm_code({0xd63f0060,    // blr x3
                                     0xa9bf7bfd,    // stp x29, x30, [sp, -16]!
                                     0xa8c17bfd,    // ldp x29, x30, [sp], 16
                                     0xd65f03c0});  // ret
  EXPECT_EQ(rule_of_caller(code, 3, Machine::kAArch64), "-");
  EXPECT_EQ(rule_at(code, 0, Machine::kAArch64), "-");
}

TEST(StraightCode, OtherMachinesHaveNone) {
  EXPECT_EQ(rule_at(kX86Trampoline, 0, Machine::kRiscV), "-");
}

}  // namespace
}  // namespace wick

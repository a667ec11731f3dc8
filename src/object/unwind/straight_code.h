// SPDX-License-Identifier: Apache-2.0
// An unwind rule for code that has none but runs straight to its return, read
// from its instructions. Trampolines are such code: Python's for `-X perf`, one
// for each function, is (Python/asm_trampoline.S)
//
//   endbr64             stp x29, x30, [sp, #-16]!
//   sub  $8, %rsp       mov x29, sp
//   call *%rcx          blr x3
//   add  $8, %rsp       ldp x29, x30, [sp], #16
//   ret                 ret
//
// From the current instruction on, or from where a call returns to, each one is
// followed: what it adds to the stack pointer, what it restores, and finally
// where the return address is. They must come in the order of a function: it
// makes its frame, calls, and removes the frame. Anything else, such as a jump
// or the beginning of another function after a call, ends the attempt.
//
// A call that never returns may be followed by anything, even by what looks
// like the end of a function. So an unwinder that uses such a rule checks that
// there is a call before the return address it finds
// (UnwindRule::is_from_code).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "object/elf/machine.h"
#include "object/unwind/unwind_rule.h"

namespace wick {

// What is needed before and after an address.
inline constexpr std::size_t kStraightCodeBefore = 6;  // the longest call's
inline constexpr std::size_t kStraightCodeAfter = 48;

// Code around an address that an unwinder looks up, which is that of bytes[at].
struct StraightCode {
  std::string_view bytes;
  std::size_t at = 0;
  CodePlace place = CodePlace::kInstruction;
};

// Nothing if the code does not lead straight to a return, if no call ends where
// one should, or if the machine is neither x86-64 nor AArch64.
std::optional<UnwindRule> rule_of_straight_code(Machine machine,
                                                const StraightCode& code);
// Whether a call ends with bytes[at], on the same machines.
bool is_call(Machine machine, const StraightCode& code);

}  // namespace wick

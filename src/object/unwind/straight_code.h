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
// From the current instruction on, each one is followed: what it adds to the
// stack pointer, what it restores, and finally where the return address is. An
// unknown instruction, such as any jump, ends the attempt, so a rule is as
// certain as the instructions are. Calls are presumed to return.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "object/elf/machine.h"
#include "object/unwind/unwind_rule.h"

namespace wick {

// What is needed before and after an address.
inline constexpr std::size_t kStraightCodeBefore = 4;
inline constexpr std::size_t kStraightCodeAfter = 48;

// `code[at]` is at the address that an unwinder looks up: the current
// instruction, or the last byte of a call. Nothing if the code does not lead
// straight to a return, or the machine is neither x86-64 nor AArch64.
std::optional<UnwindRule> rule_of_straight_code(Machine machine,
                                                std::string_view code,
                                                std::size_t at);

}  // namespace wick

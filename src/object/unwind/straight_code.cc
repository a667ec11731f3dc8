// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/straight_code.h"

#include <algorithm>
#include <cstdint>

#include "base/bytes.h"

namespace wick {
namespace {

constexpr int kMaxInstructions = 16;
// A larger frame is no trampoline's.
constexpr std::int32_t kMaxFrame = 1 << 14;

// Where registers are restored from, relative to the stack pointer at the
// current instruction.
struct Restored {
  std::int32_t sp = 0;  // the stack pointer, relative to the current one
  std::uint8_t count = 0;
  std::uint8_t reg[UnwindRule::kSlots - 1] = {};
  std::int32_t offset[UnwindRule::kSlots - 1] = {};

  // A slot below the current stack pointer will be pushed later: the register
  // still has its value.
  bool restore(int number, std::int32_t from) {
    if (from < 0) return true;
    if (count == std::size(reg)) return false;
    reg[count] = static_cast<std::uint8_t>(number);
    offset[count++] = from;
    return true;
  }
  bool add(std::int32_t bytes) {
    sp += bytes;
    return sp >= -kMaxFrame && sp <= kMaxFrame;
  }
};

// `cfa` is relative to the current stack pointer.
UnwindRule make_rule(const Unwinding& machine, const Restored& restored,
                     std::int32_t cfa) {
  UnwindRule rule{.kind = UnwindRule::kOffsets,
                  .cfa_reg = static_cast<std::uint8_t>(machine.sp),
                  .ra_reg = static_cast<std::uint8_t>(machine.ra),
                  .cfa_offset = cfa};
  for (int i = 0; i < restored.count; ++i) {
    rule.reg[i] = restored.reg[i];
    rule.offset[i] = static_cast<std::int16_t>(restored.offset[i] - cfa);
    rule.ra_saved |= restored.reg[i] == machine.ra;
  }
  rule.count = restored.count & 0x3f;
  // Unused slots repeat the last one.
  for (int i = std::max<int>(restored.count, 1); i < UnwindRule::kSlots; ++i) {
    rule.reg[i] = rule.reg[i - 1];
    rule.offset[i] = rule.offset[i - 1];
  }
  return rule;
}

// The instructions of x86-64 that occur, in order of their opcodes.
class X86Code {
 public:
  explicit X86Code(std::string_view code) : code_(code) {}

  std::optional<UnwindRule> rule() {
    for (int i = 0; i < kMaxInstructions; ++i) {
      if (take("\xc3") || take("\xf3\xc3")) return returned();
      if (!step()) break;
    }
    return {};
  }

 private:
  bool take(std::string_view bytes) {
    if (!code_.starts_with(bytes)) return false;
    code_.remove_prefix(bytes.size());
    return true;
  }
  bool take_byte(std::uint8_t first, std::uint8_t last, int& low) {
    if (code_.empty()) return false;
    const auto byte = static_cast<std::uint8_t>(code_.front());
    if (byte < first || byte > last) return false;
    low = byte - first;
    code_.remove_prefix(1);
    return true;
  }
  template <class T>
  std::optional<std::int32_t> take_number() {
    ByteReader in(code_);
    const T value = in.read<T>();
    if (in.failed() || value < -kMaxFrame || value > kMaxFrame) return {};
    code_.remove_prefix(sizeof(T));
    return value;
  }
  // The immediate operand that follows the opcode.
  template <class T>
  bool add_to_sp(std::int32_t sign) {
    const auto bytes = take_number<T>();
    return bytes && done_.add(sign * *bytes);
  }

  bool step() {
    if (take("\xf3\x0f\x1e\xfa")) return true;  // endbr64
    if (take("\x48\x89\xe5")) return true;      // mov %rsp, %rbp
    if (take("\x48\x83\xec")) return add_to_sp<std::int8_t>(-1);
    if (take("\x48\x83\xc4")) return add_to_sp<std::int8_t>(1);
    if (take("\x48\x81\xec")) return add_to_sp<std::int32_t>(-1);
    if (take("\x48\x81\xc4")) return add_to_sp<std::int32_t>(1);
    const int high = take("\x41") ? 8 : 0;  // r8 to r15
    int low = 0;
    if (take_byte(0x50, 0x57, low)) return done_.add(-8);  // push
    if (take_byte(0x58, 0x5f, low)) return pop(high + low);
    return take("\xff") && take_byte(0xd0, 0xd7, low);  // call *%reg
  }

  bool pop(int number) {
    // By the numbers of instructions; a pop of %rsp is out of the ordinary.
    constexpr std::int8_t kDwarf[16] = {0, 2, 1,  3,  -1, 6,  4,  5,
                                        8, 9, 10, 11, 12, 13, 14, 15};
    const int reg = kDwarf[number];
    return reg >= 0 && done_.restore(reg, done_.sp) && done_.add(8);
  }

  std::optional<UnwindRule> returned() {
    const Unwinding& machine = traits_of(Machine::kX86_64).unwinding;
    if (done_.sp < 0 || !done_.restore(machine.ra, done_.sp)) return {};
    return make_rule(machine, done_, done_.sp + machine.call_pushes);
  }

  std::string_view code_;
  Restored done_;
};

bool is_x86_call(std::string_view before) {
  if (before.size() < 2) return false;
  const auto last = static_cast<std::uint8_t>(before.back());
  return before[before.size() - 2] == '\xff' && last >= 0xd0 && last <= 0xd7;
}

std::uint32_t instruction_at(std::string_view code, std::size_t at) {
  if (at > code.size()) return 0;
  ByteReader in(code.substr(at));
  return in.read<std::uint32_t>();
}

constexpr bool is_arm_call(std::uint32_t instruction) {  // blr
  return (instruction & 0xfffffc1f) == 0xd63f0000;
}

// The signed offset of stp and ldp.
constexpr std::int32_t pair_offset(std::uint32_t instruction) {
  const auto bits = static_cast<std::int32_t>(instruction >> 15 & 0x7f);
  return (bits < 64 ? bits : bits - 128) * 8;
}

std::optional<UnwindRule> arm_rule(std::string_view code) {
  constexpr int kFp = 29, kLr = 30;
  Restored done;
  for (std::size_t at = 0; at < 4 * kMaxInstructions; at += 4) {
    const std::uint32_t instruction = instruction_at(code, at);
    if (instruction == 0xd65f03c0)  // ret
      return done.sp < 0
                 ? std::nullopt
                 : std::optional(make_rule(
                       traits_of(Machine::kAArch64).unwinding, done, done.sp));
    if ((instruction & 0xffc07fff) == 0xa9807bfd) {  // stp x29, x30, [sp, #n]!
      if (!done.add(pair_offset(instruction))) break;
    } else if ((instruction & 0xffc07fff) == 0xa8c07bfd) {  // ldp …, [sp], #n
      if (!done.restore(kFp, done.sp) || !done.restore(kLr, done.sp + 8) ||
          !done.add(pair_offset(instruction)))
        break;
    } else if (instruction != 0x910003fd &&                 // mov x29, sp
               (instruction & 0xfffff01f) != 0xd503201f &&  // hints: nop, bti
               !is_arm_call(instruction)) {
      break;
    }
  }
  return {};
}

}  // namespace

std::optional<UnwindRule> rule_of_straight_code(Machine machine,
                                                std::string_view code,
                                                std::size_t at) {
  if (at >= code.size()) return {};
  if (machine == Machine::kX86_64) {
    if (is_x86_call(code.substr(0, at + 1)))
      if (const auto rule = X86Code(code.substr(at + 1)).rule()) return rule;
    return X86Code(code.substr(at)).rule();
  }
  if (machine != Machine::kAArch64) return {};
  if (at >= 3 && is_arm_call(instruction_at(code, at - 3)))
    if (const auto rule = arm_rule(code.substr(at + 1))) return rule;
  return arm_rule(code.substr(at));
}

}  // namespace wick

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

// The parts of a function, in their order.
enum class Part : std::uint8_t { kEntry, kCalled, kExit };

// Where registers are restored from, relative to the stack pointer at the
// current instruction.
class Restored {
 public:
  explicit Restored(CodePlace place)
      : part_(place == CodePlace::kInstruction ? Part::kEntry : Part::kCalled) {
  }

  std::int32_t sp() const { return sp_; }
  bool is_in_entry() const { return part_ == Part::kEntry; }
  bool has_called() const { return has_called_; }

  bool call() {
    has_called_ = true;
    if (part_ == Part::kExit) return false;
    part_ = Part::kCalled;
    return true;
  }
  // The stack grows by `bytes`, and has register `number` at its end.
  bool push(int number, std::int32_t bytes) {
    if (!grow(bytes) || pushes_ == std::size(pushed_)) return false;
    pushed_[pushes_++] = {number, sp_};
    return true;
  }
  bool grow(std::int32_t bytes) { return is_in_entry() && add(-bytes, bytes); }
  bool shrink(std::int32_t bytes) {
    part_ = Part::kExit;
    return add(bytes, bytes);
  }
  // A register whose slot is below the current stack pointer, because it will
  // be pushed only later, still has its value.
  bool restore(int number, std::int32_t from) {
    if (from < 0) return was_pushed(number, from);
    if (count_ == std::size(slots_)) return false;
    slots_[count_++] = {number, from};
    return true;
  }

  // `cfa` is relative to the current stack pointer.
  UnwindRule rule(const Unwinding& machine, std::int32_t cfa) const;

 private:
  struct Slot {
    int reg = 0;
    std::int32_t offset = 0;
    bool operator==(const Slot&) const = default;
  };

  bool add(std::int32_t difference, std::int32_t bytes) {
    sp_ += difference;
    return bytes > 0 && sp_ >= -kMaxFrame && sp_ <= kMaxFrame;
  }
  bool was_pushed(int number, std::int32_t at) const {
    return std::ranges::find(pushed_, pushed_ + pushes_, Slot{number, at}) !=
           pushed_ + pushes_;
  }

  Part part_;
  bool has_called_ = false;
  std::int32_t sp_ = 0;  // the stack pointer, relative to the current one
  std::size_t count_ = 0, pushes_ = 0;
  Slot slots_[UnwindRule::kSlots - 1];
  Slot pushed_[kMaxInstructions];
};

UnwindRule Restored::rule(const Unwinding& machine, std::int32_t cfa) const {
  UnwindRule rule{.kind = UnwindRule::kOffsets,
                  .cfa_reg = static_cast<std::uint8_t>(machine.sp),
                  .ra_reg = static_cast<std::uint8_t>(machine.ra),
                  .cfa_offset = cfa,
                  .is_from_code = true};
  for (std::size_t i = 0; i < count_; ++i) {
    rule.reg[i] = static_cast<std::uint8_t>(slots_[i].reg);
    rule.offset[i] = static_cast<std::int16_t>(slots_[i].offset - cfa);
    rule.ra_saved |= slots_[i].reg == machine.ra;
  }
  rule.count = count_ & 0x3f;
  // Unused slots repeat the last one.
  for (auto i = std::max<std::size_t>(count_, 1); i < UnwindRule::kSlots; ++i) {
    rule.reg[i] = rule.reg[i - 1];
    rule.offset[i] = rule.offset[i - 1];
  }
  return rule;
}

// The instructions of x86-64 that occur, in order of their opcodes.
class X86Code {
 public:
  X86Code(std::string_view code, CodePlace place) : code_(code), done_(place) {}

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
  // The immediate operand that follows the opcode; 0 if it is out of bounds.
  template <class T>
  std::int32_t take_number() {
    ByteReader in(code_);
    const T value = in.read<T>();
    if (in.failed() || value < 0 || value > kMaxFrame) return 0;
    code_.remove_prefix(sizeof(T));
    return value;
  }

  bool step() {
    if (take("\xf3\x0f\x1e\xfa")) return done_.is_in_entry();  // endbr64
    if (take("\x48\x89\xe5")) return done_.is_in_entry();      // mov %rsp, %rbp
    if (take("\x48\x83\xec")) return done_.grow(take_number<std::int8_t>());
    if (take("\x48\x83\xc4")) return done_.shrink(take_number<std::int8_t>());
    if (take("\x48\x81\xec")) return done_.grow(take_number<std::int32_t>());
    if (take("\x48\x81\xc4")) return done_.shrink(take_number<std::int32_t>());
    const int high = take("\x41") ? 8 : 0;  // r8 to r15
    int low = 0;
    if (take_byte(0x50, 0x57, low)) return done_.push(dwarf(high + low), 8);
    if (take_byte(0x58, 0x5f, low)) return pop(dwarf(high + low));
    return take("\xff") && take_byte(0xd0, 0xd7, low) && done_.call();
  }

  // From the numbers of instructions.
  static int dwarf(int number) {
    constexpr std::int8_t kDwarf[16] = {0, 2, 1,  3,  7,  6,  4,  5,
                                        8, 9, 10, 11, 12, 13, 14, 15};
    return kDwarf[number];
  }
  // Calls do not preserve the others, so a slot may be popped into any of them.
  static bool is_preserved(int reg) {
    return reg == 3 || reg == 6 || (reg >= 12 && reg <= 15);
  }
  bool pop(int reg) {
    if (reg == traits_of(Machine::kX86_64).unwinding.sp) return false;
    const std::int32_t from = done_.sp();
    return ((from < 0 && !is_preserved(reg)) || done_.restore(reg, from)) &&
           done_.shrink(8);
  }

  std::optional<UnwindRule> returned() {
    const Unwinding& machine = traits_of(Machine::kX86_64).unwinding;
    const std::int32_t sp = done_.sp();
    if (sp < 0 || !done_.restore(machine.ra, sp)) return {};
    return done_.rule(machine, sp + machine.call_pushes);
  }

  std::string_view code_;
  Restored done_;
};

// The bytes of `call *…` from its ModRM byte on; 0: it is another instruction.
std::size_t size_of_call_operand(std::string_view operand) {
  const auto byte = [&](std::size_t i) {
    return i < operand.size() ? static_cast<std::uint8_t>(operand[i]) : 0;
  };
  const int mode = byte(0) >> 6, base = byte(0) & 7;
  if ((byte(0) >> 3 & 7) != 2) return 0;
  if (mode == 3) return 1;
  const std::size_t size = base == 4 ? 2 : 1;  // with a SIB byte
  if (mode == 1) return size + 1;
  const bool has_no_base =
      mode == 0 && (base == 5 || (base == 4 && (byte(1) & 7) == 5));
  return size + (mode == 2 || has_no_base ? 4 : 0);
}

// `code` ends where the call would.
bool ends_in_x86_call(std::string_view code) {
  if (code.size() >= 5 && code[code.size() - 5] == '\xe8') return true;
  for (std::size_t size = 1; size < code.size() && size <= 6; ++size)
    if (code[code.size() - size - 1] == '\xff' &&
        size_of_call_operand(code.substr(code.size() - size)) == size)
      return true;
  return false;
}

std::uint32_t instruction_at(std::string_view code, std::size_t at) {
  if (at > code.size()) return 0;
  ByteReader in(code.substr(at));
  return in.read<std::uint32_t>();
}

constexpr bool is_arm_call(std::uint32_t instruction) {  // bl, blr, blraa…
  return (instruction & 0xfc000000) == 0x94000000 ||
         (instruction & 0xfefff000) == 0xd63f0000;
}

// nop, bti, paciasp and others that change nothing; in an exit, autiasp only.
constexpr bool is_arm_hint(std::uint32_t instruction, bool is_in_entry) {
  return (instruction & 0xfffff01f) == 0xd503201f &&
         (is_in_entry || (instruction & 0xffffffbf) == 0xd50323bf);
}

// The signed offset of stp and ldp.
constexpr std::int32_t pair_offset(std::uint32_t instruction) {
  const auto bits = static_cast<std::int32_t>(instruction >> 15 & 0x7f);
  return (bits < 64 ? bits : bits - 128) * 8;
}

class ArmCode {
 public:
  ArmCode(std::string_view code, CodePlace place) : code_(code), done_(place) {}

  std::optional<UnwindRule> rule() {
    for (std::size_t at = 0; at < 4 * kMaxInstructions; at += 4) {
      const std::uint32_t instruction = instruction_at(code_, at);
      if (instruction == 0xd65f03c0) return returned();  // ret
      if (!step(instruction)) break;
    }
    return {};
  }

 private:
  bool step(std::uint32_t instruction) {
    const bool is_in_entry = done_.is_in_entry();
    const std::int32_t offset = pair_offset(instruction);
    if ((instruction & 0xffc07fff) == 0xa9807bfd)  // stp x29, x30, [sp, #n]!
      return done_.push(kFp, -offset);
    if ((instruction & 0xffc07fff) == 0xa8c07bfd) {  // ldp …, [sp], #n
      // Both were stored at once.
      has_link_ = true;
      const std::int32_t sp = done_.sp();
      return done_.restore(kFp, sp) &&
             (sp < 0 || done_.restore(kLink, sp + 8)) && done_.shrink(offset);
    }
    if (instruction == 0x910003fd) return is_in_entry;  // mov x29, sp
    if (is_arm_call(instruction)) return done_.call();
    return is_arm_hint(instruction, is_in_entry);
  }

  std::optional<UnwindRule> returned() {
    // A call changes the link register.
    if (done_.sp() < 0 || (done_.has_called() && !has_link_)) return {};
    return done_.rule(traits_of(Machine::kAArch64).unwinding, done_.sp());
  }

  static constexpr int kFp = 29, kLink = 30;
  std::string_view code_;
  Restored done_;
  bool has_link_ = false;
};

}  // namespace

bool is_call(Machine machine, const StraightCode& code) {
  if (code.at >= code.bytes.size()) return false;
  const std::string_view call = code.bytes.substr(0, code.at + 1);
  if (machine == Machine::kX86_64) return ends_in_x86_call(call);
  return machine == Machine::kAArch64 && call.size() >= 4 &&
         is_arm_call(instruction_at(call, call.size() - 4));
}

std::optional<UnwindRule> rule_of_straight_code(Machine machine,
                                                const StraightCode& code) {
  if (code.at >= code.bytes.size()) return {};
  const bool is_caller = code.place != CodePlace::kInstruction;
  if (is_caller && !is_call(machine, code)) return {};
  const std::string_view next =
      code.bytes.substr(code.at + (is_caller ? 1 : 0));
  if (machine == Machine::kX86_64) return X86Code(next, code.place).rule();
  if (machine == Machine::kAArch64) return ArmCode(next, code.place).rule();
  return {};
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// How control leaves a RISC-V instruction, which is all that rebuilding stacks
// needs to know. RV32 and RV64 with compressed instructions; whatever does not
// transfer control is "plain", so extensions need no change here.
#pragma once

#include <cstdint>
#include <string_view>

namespace wick {

enum class FlowKind : std::uint8_t {
  kUnknown,       // the instruction is not known
  kPlain,         // continues at the next one
  kFlush,         // the same, and flushes the pipeline: fences, csrw
  kBranch,        // continues at the next one or at a fixed target
  kJump,          // to a fixed target
  kCall,          // the same, and stores a return address
  kIndirectJump,  // to the address in a register
  kIndirectCall,  // the same, and stores a return address
  kReturn,        // to the address in ra or t0
  kSwapLink,      // a return and a call at once: jalr ra, t0 and jalr t0, ra
  kEcall,         // traps; continues at the next one after the handler
  kBreak,
  kXret,  // mret, sret: to where the trapped context continues
  kWait,  // wfi
};

// An instruction and marks for its place, in one byte; 0 is "not known".
class Flow {
 public:
  constexpr Flow() = default;
  constexpr Flow(FlowKind kind, int length)
      : bits_(static_cast<std::uint8_t>(static_cast<unsigned>(kind) |
                                        static_cast<unsigned>(length)
                                            << kLengthShift)) {}

  constexpr FlowKind kind() const {
    return static_cast<FlowKind>(bits_ & kKindMask);
  }
  // In bytes; 0 if not known.
  constexpr int length() const { return bits_ >> kLengthShift & 6; }
  constexpr bool links() const {
    return kind() == FlowKind::kCall || kind() == FlowKind::kIndirectCall ||
           kind() == FlowKind::kSwapLink;
  }
  // A function begins here, according to a symbol.
  constexpr bool is_entry() const { return (bits_ & kEntry) != 0; }
  constexpr Flow as_entry() const { return with_marks(bits_ | kEntry); }
  // A place of the function (see Places) begins here.
  constexpr Flow as_place(bool begins = true) const {
    return with_marks(begins ? bits_ | kPlace : bits_ & ~kPlace);
  }
  // Neither mark: it is counted together with the instruction before it.
  constexpr bool goes_on() const { return (bits_ & kMarks) == 0; }
  // This instruction with the marks of `other`.
  constexpr Flow in_place_of(Flow other) const {
    return with_marks(other.bits_);
  }
  friend constexpr bool operator==(Flow, Flow) = default;

 private:
  // The kind, the length in units of two bytes, and two marks.
  static constexpr unsigned kKindMask = 0x0f, kLengthShift = 3, kPlace = 0x40,
                            kEntry = 0x80, kMarks = kPlace | kEntry;
  constexpr Flow with_marks(unsigned marks) const {
    Flow flow;
    flow.bits_ =
        static_cast<std::uint8_t>((bits_ & ~kMarks) | (marks & kMarks));
    return flow;
  }
  std::uint8_t bits_ = 0;
};
static_assert(sizeof(Flow) == 1);

enum class Xlen : std::uint8_t { k32, k64 };

// `bits` is the instruction word; the upper half of a 16-bit one is ignored.
// The length is 2 or 4; longer encodings, which are not in use yet, count as 4.
Flow decode_riscv(std::uint32_t bits, Xlen xlen);

// The distance to the target of a taken kBranch, a kJump or a kCall; 0 for all
// others.
std::int32_t riscv_distance(std::uint32_t bits, Xlen xlen);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// How control leaves a RISC-V instruction: all that rebuilding stacks has to
// know of one. RV32 and RV64 with compressed instructions; what is not a
// transfer is "plain", whatever it computes, so extensions need no change here.
#pragma once

#include <cstdint>
#include <string_view>

namespace wick {

enum class FlowKind : std::uint8_t {
  kUnknown,       // the instruction is not known
  kPlain,         // goes on at the next one
  kFlush,         // the same, and the pipeline is emptied: fences, csrw
  kBranch,        // at the next one, or at a place that is fixed
  kJump,          // at a fixed place
  kCall,          // at a fixed place, and leaves a return address behind
  kIndirectJump,  // where a register says
  kIndirectCall,  // the same, and leaves a return address behind
  kReturn,        // where ra or t0 says
  kSwapLink,      // a return and a call at once: jalr ra, t0 and jalr t0, ra
  kEcall,         // traps; goes on at the next one once that was handled
  kBreak,
  kXret,  // mret, sret: where the trapped context goes on
  kWait,  // wfi
};

// One byte says it all for an instruction and for where it stands; 0 is "not
// known".
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
  // Bytes of the instruction; 0 if that is not known.
  constexpr int length() const { return bits_ >> kLengthShift & 6; }
  constexpr bool links() const {
    return kind() == FlowKind::kCall || kind() == FlowKind::kIndirectCall ||
           kind() == FlowKind::kSwapLink;
  }
  // A function begins here. Not the instruction says that but a symbol.
  constexpr bool is_entry() const { return (bits_ & kEntry) != 0; }
  constexpr Flow as_entry() const { return with_marks(bits_ | kEntry); }
  // A place of the function (see Places) begins here.
  constexpr Flow as_place(bool begins = true) const {
    return with_marks(begins ? bits_ | kPlace : bits_ & ~kPlace);
  }
  // Neither: what comes before it is counted together with it.
  constexpr bool goes_on() const { return (bits_ & kMarks) == 0; }
  // This instruction, where `other` stands.
  constexpr Flow in_place_of(Flow other) const {
    return with_marks(other.bits_);
  }
  friend constexpr bool operator==(Flow, Flow) = default;

 private:
  // The kind, the length in steps of two, and two marks.
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

// `bits` is the instruction word; of a 16-bit one the upper half is ignored.
// Length is 2 or 4; longer encodings, which nobody uses yet, count as 4.
Flow decode_riscv(std::uint32_t bits, Xlen xlen);

// How far a kBranch that is taken, a kJump or a kCall leads; 0 for all else.
std::int32_t riscv_distance(std::uint32_t bits, Xlen xlen);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What an instruction trace consists of. Every source knows the cycle and the
// pc; some know more. Every consumer works with the minimum and becomes more
// precise with each additional field.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wick {

// One instruction that a hart retired. Sixteen bytes: a trace is as long as the
// run, and every instruction passes through as one of these.
struct Retired {
  std::uint64_t cycle = 0;
  // As in the source: TraceInfo::pc_bits are valid, those above are 0.
  std::uint64_t pc = 0;
};
static_assert(sizeof(Retired) == 16);

enum class Privilege : std::uint8_t {
  kUser = 0,
  kSupervisor = 1,
  kMachine = 3,
  kUnknown = 0xff,
};

// The hart's context from instruction `from` of the block until the next row;
// the last row of a block applies to the next block, too.
struct ContextChange {
  std::uint32_t from = 0;
  Privilege privilege = Privilege::kUnknown;
  bool has_satp = false;
  bool has_thread_pointer = false;
  std::uint64_t satp = 0;
  std::uint64_t thread_pointer = 0;  // the register tp
};

// Instruction `at` did not retire: the hart took an exception or an interrupt
// there instead. (Rocket and Cospike show such instructions, and show them
// again when they are executed after all.) Or it is the first one after a trap
// that was taken between two instructions.
struct TrapMark {
  std::uint32_t at = 0;
  bool interrupt = false;
  std::uint64_t cause = 0;
  bool is_before = false;  // the trap was taken before `at`

  // The first instruction of the block that comes after the trap.
  std::uint32_t handled_from() const { return is_before ? at : at + 1; }
};

// What a source knows in addition to the instructions. The QEMU plugin reads it
// from the kernel's own data.
struct SideBandFact {
  enum class Kind : std::uint8_t {
    kThread,   // from here on, this hart runs this thread
    kMapping,  // the file `name` is mapped at start..end, from file_off on
    kUnmapAll  // the address space was emptied: exec
  };
  std::uint32_t from = 0;  // instruction of the block
  Kind kind = Kind::kThread;
  std::uint64_t satp = 0;  // the address space it is about
  std::int32_t pid = -1, tid = -1;
  std::uint64_t start = 0, end = 0, file_off = 0;
  std::string name;  // the thread's name, or the file's path
};

// Consecutive instructions of one hart. A reader refills the same block, so
// its vectors are allocated once.
struct TraceBlock {
  std::uint32_t hart = 0;
  // Instructions of this hart between the previous block and this one are
  // missing: a trigger cut them out, or the source lost them. The cycles in
  // between count for no stack.
  bool after_gap = false;
  // The reader checked that cycles strictly increase. False: not known.
  bool cycles_rise = false;
  std::vector<Retired> instructions;
  // The instruction words, 16-bit ones zero-extended: one per instruction, or
  // none at all if the source does not have them.
  std::vector<std::uint32_t> bits;
  std::vector<ContextChange> contexts;  // by `from`
  std::vector<TrapMark> traps;          // by handled_from()
  std::vector<SideBandFact> facts;      // by `from`

  void clear() {
    after_gap = cycles_rise = false;
    instructions.clear();
    bits.clear();
    contexts.clear();
    traps.clear();
    facts.clear();
  }
};

}  // namespace wick

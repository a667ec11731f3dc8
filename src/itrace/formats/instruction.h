// SPDX-License-Identifier: Apache-2.0
// What a trace of instructions consists of. Every source knows the cycle and
// the pc; some know more. All that reads a trace works with the least of it and
// gets exacter with each thing more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wick {

// One instruction that a hart retired. Sixteen bytes: a trace is as long as the
// run, and this is what is passed on of each.
struct Retired {
  std::uint64_t cycle = 0;
  // As the source has it: TraceInfo::pc_bits of it count, those above are 0.
  std::uint64_t pc = 0;
};
static_assert(sizeof(Retired) == 16);

enum class Privilege : std::uint8_t {
  kUser = 0,
  kSupervisor = 1,
  kMachine = 3,
  kUnknown = 0xff,
};

// Where the hart runs, from instruction `from` of the block until the next
// such row; across blocks, the last row holds on.
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
// again when they are executed after all.)
struct TrapMark {
  std::uint32_t at = 0;
  bool interrupt = false;
  std::uint64_t cause = 0;
};

// Things that a source knows beside the instructions, as the QEMU plugin does
// from the kernel's own data.
struct SideBandFact {
  enum class Kind : std::uint8_t {
    kThread,   // from here on, this hart runs this thread
    kMapping,  // `path` is mapped at start..end, from file_off on
    kUnmapAll  // the address space was emptied: exec
  };
  std::uint32_t from = 0;  // instruction of the block
  Kind kind = Kind::kThread;
  std::uint64_t satp = 0;  // the address space it is about
  std::int32_t pid = -1, tid = -1;
  std::uint64_t start = 0, end = 0, file_off = 0;
  std::string name;  // of the thread, or the path of the file
};

// Consecutive instructions of one hart. A reader refills the same block, so
// its vectors are allocated once.
struct TraceBlock {
  std::uint32_t hart = 0;
  // Instructions of this hart between the block before and this one are not
  // here: a trigger cut them out, or the source lost them. The cycles between
  // the two are nobody's.
  bool after_gap = false;
  // The reader saw that no two instructions here have the same cycle, nor one
  // an earlier one than that before it. False says nothing.
  bool cycles_rise = false;
  std::vector<Retired> instructions;
  // The instruction words, 16-bit ones zero-extended; one for each instruction,
  // or none at all where the source does not have them.
  std::vector<std::uint32_t> bits;
  std::vector<ContextChange> contexts;  // by `from`
  std::vector<TrapMark> traps;          // by `at`
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

// SPDX-License-Identifier: Apache-2.0
// What the plugin knows about a translated block before it runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wick_qemu {

// A translated block, or the part of one after tracing started.
//
// QEMU's system emulation identifies code by its physical address and executes
// one translation wherever that is mapped: the pages of a shared library, for
// example, have different addresses in each process. So a block whose code may
// move has an alias for each address at which it is executed.
struct CodeBlock {
  std::uint64_t pc = 0;
  std::uint32_t number = 0;  // in order of translation
  bool may_move = false;
  bool has_trigger = false;
  std::uint32_t id = 0;     // in the trace
  std::uint32_t count = 0;  // instructions
  // What must be checked when the next block begins.
  bool memory_at_end = false;    // the last instruction may be repeated
  bool changes_context = false;  // privilege, satp, tp or trap vectors
  bool sets_vectors = false;     // stvec or mtvec
  bool ends_in_sret = false;
  bool needs_look = false;  // one of the first two
  std::uint32_t skip = 0;   // instructions of the translation left out
  std::vector<std::uint16_t> offsets;  // of instructions, from pc
  std::string code;
};

// Whether execution may stop at this instruction: it accesses memory or
// registers, which is not always allowed. Only plain computations, jumps and
// branches cannot fail.
inline bool may_break_off(std::uint32_t bits) {
  if ((bits & 3) == 3) {
    switch (bits & 0x7f) {
      case 0x13:
      case 0x1b:
      case 0x33:
      case 0x3b:  // computations
      case 0x17:
      case 0x37:  // auipc, lui
      case 0x63:
      case 0x67:
      case 0x6f:  // branches and jumps
      case 0x43:
      case 0x47:
      case 0x4b:
      case 0x4f:
      case 0x53:  // floating point
        return false;
      default:
        return true;
    }
  }
  const std::uint32_t top = bits >> 13 & 7;
  if ((bits & 3) == 0) return top != 0;             // c.addi4spn
  if ((bits & 3) == 1) return false;                // computations, branches
  return top != 0 && (top != 4 || bits == 0x9002);  // c.slli; c.jr, c.mv …
}

inline bool is_system(std::uint32_t bits) { return (bits & 0x7f) == 0x73; }

inline bool writes_tp(std::uint32_t bits) {
  const std::uint32_t rd = bits >> 7 & 0x1f;
  if (rd != 4) return false;
  if ((bits & 3) == 3) {
    const std::uint32_t opcode = bits & 0x7f;
    return opcode != 0x23 && opcode != 0x27 && opcode != 0x63;
  }
  const std::uint32_t top = bits >> 13 & 7;
  return ((bits & 3) == 1 && top <= 3) || ((bits & 3) == 2 && top <= 4);
}

// Sets the flags of `block` for the instruction `bits`.
inline void note_instruction(CodeBlock& block, std::uint32_t bits) {
  if (writes_tp(bits)) block.changes_context = true;
  if (!is_system(bits)) return;
  const std::uint32_t csr = bits >> 20, kind = bits >> 12 & 7;
  if (kind == 0) {
    if (csr == 0x102) block.ends_in_sret = true;
    if (csr == 0x102 || csr == 0x302) block.changes_context = true;
    return;
  }
  if (csr == 0x105 || csr == 0x305) block.sets_vectors = true;
  if (csr == 0x180 || block.sets_vectors) block.changes_context = true;
}

}  // namespace wick_qemu

// SPDX-License-Identifier: Apache-2.0
// Turns registers and a copy of the stack into call frames.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "object/elf/machine.h"
#include "object/unwind/unwind_table.h"

namespace wick {

// Registers of the leaf frame, by DWARF number. The pc of AArch64 and RISC-V
// has no number and is only in `pc`.
struct Registers {
  static constexpr int kCount = 34;
  std::uint64_t pc = 0, sp = 0;
  std::uint64_t value[kCount] = {};
  std::uint64_t known = 0;  // bit i: value[i] is known
};

// Why a stack ends.
enum class UnwindEnd : std::uint8_t {
  kRoot,           // the outermost frame was reached
  kStackTooShort,  // the caller's frame is beyond the copied bytes
  kNoRule,         // code without unwind rules and without a frame pointer
  kBadMemory,      // a rule led outside the stack, or backwards
  kTooDeep,        // more than kMaxFrames
  kCount
};

// A range of an address space that belongs to one module.
struct CodeRange {
  std::uint64_t start = 0, end = 0;    // runtime addresses
  std::uint64_t bias = 0;              // runtime_addr - bias = elf_addr
  const UnwindTable* table = nullptr;  // null: code without a table (JIT)
  UnwindRule rule = {};  // of the address itself, if there is no table
};
class UnwindMap {
 public:
  virtual ~UnwindMap() = default;
  // The range around the address; an empty one if no code is mapped there, or
  // if a call that is only presumed is none.
  virtual CodeRange find(std::uint64_t runtime_addr, CodePlace place) const = 0;
};

// One thread's unwinder. It caches rules by address and address space version,
// so a cached frame costs a few loads.
class Unwinder {
 public:
  explicit Unwinder(Machine machine);
  ~Unwinder();

  // Appends runtime addresses, leaf first: the pc, then for each caller an
  // address inside its call (return address - 1), or the exact address of a
  // frame that a signal interrupted. `stack` is the memory from `registers.sp`
  // on; nothing else is read. `map_version` changes whenever the contents of
  // `map` do, so no two processes share one.
  UnwindEnd unwind(const Registers& registers, std::string_view stack,
                   const UnwindMap& map, std::uint64_t map_version,
                   std::vector<std::uint64_t>& out);

  static constexpr int kMaxFrames = 4096;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// All that differs between the architectures of recorded code, in one table. To
// add an architecture, add an enumerator here and an entry in machine.cc.
// Fields that are left out turn off what needs them: without `unwinding` stacks
// are not unwound, without `plt` its stubs have no names.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace wick {

enum class Machine : std::uint8_t {
  kX86_64,
  kAArch64,
  kRiscV,
  kX86,
  kArm,
  kPpc64,
  kS390,
  kOther,  // last
};

// Register numbers are DWARF's, except in PerfRegisters. 64-bit code only.
struct Unwinding {
  int sp = -1, fp = -1;
  int pc = -1;  // -1: it has no number
  int ra = -1;  // has the return address when a function begins, or names it
  // A call pushes the return address and takes this many bytes; 0: it is in
  // register `ra`.
  int call_pushes = 0;
  // Registers whose values are worth following from frame to frame.
  std::uint64_t tracked = ~std::uint64_t{0};
  // Of the frame that the frame pointer points to: where the caller's frame
  // pointer and the return address are, and the caller's stack pointer itself,
  // relative to the frame pointer.
  std::int64_t saved_fp = 0, saved_ra = 8, cfa = 16;
  // The bits of a return address that are an address.
  std::uint64_t address_mask = ~std::uint64_t{0};
};

// Registers as perf numbers them: asm/perf_regs.h of the kernel.
struct PerfRegisters {
  int pc = -1, sp = -1;
  // Those that unwinding needs, for attr.sample_regs_user.
  std::uint64_t mask = 0;
  // DWARF's number of each; -1: it has none, or unwinding does not need it.
  std::span<const std::int8_t> to_dwarf;
};

// A section of stubs.
struct PltSection {
  std::string_view name, code;
  std::uint64_t address = 0, entry_size = 0;
};
// A stub loads an address from `slot` and jumps there.
struct PltStub {
  std::uint64_t start = 0, size = 0, slot = 0;
};

struct Plt {
  // Types of relocations that fill slots: with a function's address, with that
  // of any symbol, with the answer of an indirect function.
  std::uint32_t jump_slot = 0, global_data = 0, indirect = 0;
  std::vector<PltStub> (*find_stubs)(const PltSection& section) = nullptr;
};

// How relocations of one type change debug information.
struct DebugRelocation {
  enum class Change : std::uint8_t { kSet, kAdd, kSubtract };
  std::uint32_t type = 0;
  Change change = Change::kSet;
  std::uint8_t size = 0;  // bytes
};

struct MachineTraits {
  Machine machine = Machine::kOther;
  std::uint16_t elf_number = 0;                 // e_machine
  std::string_view name = {}, other_name = {};  // of uname -m and perf
  Unwinding unwinding = {};
  PerfRegisters perf_registers = {};
  Plt plt = {};
  std::span<const DebugRelocation> debug_relocations = {};
  // Whether a symbol only marks where code or data begins, for disassemblers.
  bool (*is_mapping_symbol)(std::string_view name) = nullptr;

  bool can_unwind() const { return unwinding.sp >= 0; }
};

const MachineTraits& traits_of(Machine machine);

// By e_machine, and by the name that uname -m or perf gives it; kOther if it is
// not known.
Machine machine_of_elf(std::uint16_t elf_number);
Machine machine_named(std::string_view name);

// The machine whose registers a mask of perf's sample_regs_user, not 0, selects
// from: the one with the fewest registers that has them all.
Machine machine_of_registers(std::uint64_t mask);

// The machine that wick runs on.
Machine own_machine();

}  // namespace wick

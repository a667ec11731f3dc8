// SPDX-License-Identifier: Apache-2.0
// From perf's register numbers to DWARF's.
#pragma once

#include <string_view>

#include "object/unwind/unwinder.h"
#include "perf/records/record.h"

namespace wick {

// The machine of perf's arch ("x86_64", "aarch64", "riscv64").
Machine machine_of(std::string_view arch);

// The machine that wick runs on.
Machine own_machine();

// The registers that unwinding needs, as attr.sample_regs_user wants them.
std::uint64_t unwind_register_mask(Machine machine);

// The DWARF number of perf's register; -1 if it has none that is used in
// unwinding (flags, segments), or if it is the pc of a machine whose pc has no
// number.
int dwarf_register(Machine machine, int perf_register);

// What the unwinder starts from. `known` is 0 if the sample has no registers
// (a kernel thread), or not those of the machine's own word size.
Registers unwind_registers(Machine machine, const SampleRegisters& registers);

}  // namespace wick

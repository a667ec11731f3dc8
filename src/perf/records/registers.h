// SPDX-License-Identifier: Apache-2.0
// From perf's register numbers to DWARF's.
#pragma once

#include "object/unwind/unwinder.h"
#include "perf/records/record.h"

namespace wick {

// What a sample has for a register whose value its recorder could not learn. No
// architecture has memory there, so other readers find no frame at it either.
inline constexpr std::uint64_t kUnknownRegister = 0x8000'0000'0000'0bad;

// Where the unwinder starts. `known` is 0 if the sample has no registers (a
// kernel thread) or those of another word size.
Registers unwind_registers(Machine machine, const SampleRegisters& registers);

}  // namespace wick

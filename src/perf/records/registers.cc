// SPDX-License-Identifier: Apache-2.0
#include "perf/records/registers.h"

namespace wick {

Registers unwind_registers(Machine machine, const SampleRegisters& registers) {
  Registers result;
  const PerfRegisters& numbers = traits_of(machine).perf_registers;
  if (numbers.pc < 0 || registers.abi != kRegsAbi64) return result;
  const auto pc_value = registers.value(numbers.pc);
  const auto sp_value = registers.value(numbers.sp);
  if (!pc_value || !sp_value) return result;
  result.pc = *pc_value;
  result.sp = *sp_value;
  std::size_t next = 0;
  for (std::size_t i = 0;
       i < numbers.to_dwarf.size() && next < registers.values.size(); ++i) {
    if ((registers.mask >> i & 1) == 0) continue;
    const std::uint64_t value = registers.values[next++];
    const std::int8_t number = numbers.to_dwarf[i];
    if (number < 0 || number >= Registers::kCount || value == kUnknownRegister)
      continue;
    result.value[number] = value;
    result.known |= std::uint64_t{1} << number;
  }
  return result;
}

}  // namespace wick

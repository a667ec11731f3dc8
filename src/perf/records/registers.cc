// SPDX-License-Identifier: Apache-2.0
#include "perf/records/registers.h"

#include <array>

namespace wick {
namespace {

// arch/x86/include/uapi/asm/perf_regs.h: AX BX CX DX SI DI BP SP IP FLAGS CS SS
// DS ES FS GS R8 … R15.
constexpr std::array<std::int8_t, 24> kX86 = {
    0,  3,  2,  1,  4, 5, 6,  7,  16, -1, -1, -1,
    -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15,
};

struct MachineRegisters {
  int pc, sp;  // perf's numbers
};
MachineRegisters special(Machine machine) {
  switch (machine) {
    case Machine::kX86_64:
      return {8, 7};
    case Machine::kAArch64:  // x0 … x30, sp, pc
      return {32, 31};
    case Machine::kRiscV64:  // pc, ra, sp, gp …
      return {0, 2};
    case Machine::kOther:
      break;
  }
  return {-1, -1};
}

}  // namespace

Machine own_machine() {
#if defined(__x86_64__)
  return Machine::kX86_64;
#elif defined(__aarch64__)
  return Machine::kAArch64;
#elif defined(__riscv) && __riscv_xlen == 64
  return Machine::kRiscV64;
#else
  return Machine::kOther;
#endif
}

std::uint64_t unwind_register_mask(Machine machine) {
  switch (machine) {
    case Machine::kX86_64:
      return 0xff0fff;  // all but the segments
    case Machine::kAArch64:
      return (std::uint64_t{1} << 33) - 1;
    case Machine::kRiscV64:
      return (std::uint64_t{1} << 32) - 1;
    case Machine::kOther:
      break;
  }
  return 0;
}

Machine machine_of(std::string_view arch) {
  if (arch == "x86_64" || arch == "amd64") return Machine::kX86_64;
  if (arch == "aarch64" || arch == "arm64") return Machine::kAArch64;
  if (arch == "riscv64") return Machine::kRiscV64;
  return Machine::kOther;
}

int dwarf_register(Machine machine, int perf_register) {
  if (perf_register < 0) return -1;
  switch (machine) {
    case Machine::kX86_64:
      return perf_register < static_cast<int>(kX86.size())
                 ? kX86[static_cast<std::size_t>(perf_register)]
                 : -1;
    case Machine::kAArch64:
      return perf_register <= 31 ? perf_register : -1;
    case Machine::kRiscV64:  // x0, always zero, is not recorded
      return perf_register >= 1 && perf_register <= 31 ? perf_register : -1;
    case Machine::kOther:
      break;
  }
  return -1;
}

Registers unwind_registers(Machine machine, const SampleRegisters& registers) {
  Registers result;
  const auto [pc, sp] = special(machine);
  if (pc < 0 || registers.abi != kRegsAbi64) return result;
  const auto pc_value = registers.value(pc), sp_value = registers.value(sp);
  if (!pc_value || !sp_value) return result;
  result.pc = *pc_value;
  result.sp = *sp_value;
  std::size_t next = 0;
  for (int i = 0; i < 64 && next < registers.values.size(); ++i) {
    if ((registers.mask >> i & 1) == 0) continue;
    const std::uint64_t value = registers.values[next++];
    const int number = dwarf_register(machine, i);
    if (number < 0 || number >= Registers::kCount) continue;
    result.value[number] = value;
    result.known |= std::uint64_t{1} << number;
  }
  return result;
}

}  // namespace wick

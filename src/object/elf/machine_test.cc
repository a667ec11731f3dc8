// SPDX-License-Identifier: Apache-2.0
#include "object/elf/machine.h"

#include <elf.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Machine, EntriesAreInTheOrderOfTheEnum) {
  for (int i = 0; i <= static_cast<int>(Machine::kOther); ++i)
    EXPECT_EQ(traits_of(Machine{static_cast<std::uint8_t>(i)}).machine,
              Machine{static_cast<std::uint8_t>(i)});
}

TEST(Machine, IsFoundByItsElfNumber) {
  EXPECT_EQ(machine_of_elf(EM_AARCH64), Machine::kAArch64);
  EXPECT_EQ(machine_of_elf(EM_NONE), Machine::kOther);
  EXPECT_EQ(machine_of_elf(0xfeed), Machine::kOther);
}

TEST(Machine, IsFoundByEitherName) {
  EXPECT_EQ(machine_named("x86_64"), Machine::kX86_64);
  EXPECT_EQ(machine_named("arm64"), Machine::kAArch64);
  EXPECT_EQ(machine_named(""), Machine::kOther);
  EXPECT_EQ(machine_named("vax"), Machine::kOther);
}

TEST(Machine, IsGuessedFromItsRegisters) {
  for (const Machine machine :
       {Machine::kX86_64, Machine::kAArch64, Machine::kRiscV})
    EXPECT_EQ(machine_of_registers(traits_of(machine).perf_registers.mask),
              machine);
}

TEST(Machine, EveryOneThatUnwindsKnowsTheRegistersOfPerf) {
  for (int i = 0; i <= static_cast<int>(Machine::kOther); ++i) {
    const MachineTraits& traits =
        traits_of(Machine{static_cast<std::uint8_t>(i)});
    if (!traits.can_unwind()) continue;
    const PerfRegisters& perf = traits.perf_registers;
    EXPECT_EQ(perf.to_dwarf[static_cast<std::size_t>(perf.sp)],
              traits.unwinding.sp);
    EXPECT_EQ(perf.to_dwarf[static_cast<std::size_t>(perf.pc)],
              traits.unwinding.pc);
    EXPECT_NE(perf.mask >> perf.pc & perf.mask >> perf.sp & 1, 0u);
  }
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/elf/machine.h"

#include <elf.h>

#include <array>
#include <bit>

#include "base/bytes.h"

namespace wick {
namespace {

using Change = DebugRelocation::Change;

// Instructions are little-endian whatever the data is.
template <class T>
T little_endian(std::string_view code, std::size_t at) {
  return ByteReader(code.substr(at), std::endian::native == std::endian::big)
      .read<T>();
}

// ---- x86-64

// AX BX CX DX SI DI BP SP IP FLAGS CS SS DS ES FS GS R8 … R15.
constexpr std::array<std::int8_t, 24> kX86_64Registers = {
    0,  3,  2,  1,  4, 5, 6,  7,  16, -1, -1, -1,
    -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15,
};

constexpr DebugRelocation kX86_64Relocations[] = {
    {R_X86_64_64, Change::kSet, 8},
    {R_X86_64_32, Change::kSet, 4},
    {R_X86_64_32S, Change::kSet, 4},
};

// Stubs of one size; each has `jmp *offset(%rip)` (ff 25 and the offset), after
// endbr64 and bnd where the linker writes them.
std::vector<PltStub> find_x86_64_stubs(const PltSection& section) {
  const std::string_view code = section.code;
  const std::size_t size = section.entry_size == 8 || section.entry_size == 16
                               ? section.entry_size
                           : section.name == ".plt.got" ? 8
                                                        : 16;
  std::vector<PltStub> stubs;
  for (std::size_t at = 0; at + size <= code.size(); at += size) {
    const std::size_t jump = code.substr(at, size).find("\xff\x25");
    if (jump == code.npos || at + jump + 6 > code.size()) continue;
    const auto offset = little_endian<std::int32_t>(code, at + jump + 2);
    stubs.push_back({.start = section.address + at,
                     .size = size,
                     .slot = section.address + at + jump + 6 +
                             static_cast<std::uint64_t>(offset)});
  }
  return stubs;
}

constexpr MachineTraits kX86_64 = {
    .machine = Machine::kX86_64,
    .elf_number = EM_X86_64,
    .name = "x86_64",
    .other_name = "amd64",
    .unwinding = {.sp = 7,
                  .fp = 6,
                  .pc = 16,
                  .ra = 16,
                  .call_pushes = 8,
                  .tracked = 0x1ffff},
    .perf_registers = {.pc = 8,
                       .sp = 7,
                       .mask = 0xff0fff,  // all but the segments
                       .to_dwarf = kX86_64Registers},
    .plt = {.jump_slot = R_X86_64_JUMP_SLOT,
            .global_data = R_X86_64_GLOB_DAT,
            .indirect = R_X86_64_IRELATIVE,
            .find_stubs = find_x86_64_stubs},
    .debug_relocations = kX86_64Relocations,
};

// ---- AArch64

// x0 … x30, sp, pc, …, vg.
constexpr std::array<std::int8_t, 47> kAArch64Registers = [] {
  std::array<std::int8_t, 47> numbers{};
  numbers.fill(-1);
  for (std::size_t i = 0; i <= 31; ++i)
    numbers[i] = static_cast<std::int8_t>(i);
  return numbers;
}();

constexpr DebugRelocation kAArch64Relocations[] = {
    {R_AARCH64_ABS64, Change::kSet, 8},
    {R_AARCH64_ABS32, Change::kSet, 4},
};

// adrp x16, page; ldr x17, [x16, #offset]; after bti c where branch targets are
// marked.
std::vector<PltStub> find_aarch64_stubs(const PltSection& section) {
  const std::string_view code = section.code;
  constexpr std::uint32_t kBti = 0xd503245f;
  std::vector<PltStub> stubs;
  for (std::size_t at = 0; at + 8 <= code.size(); at += 4) {
    const auto adrp = little_endian<std::uint32_t>(code, at);
    const auto ldr = little_endian<std::uint32_t>(code, at + 4);
    if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
      continue;
    const std::uint64_t pages = (adrp >> 29 & 3) | (adrp >> 5 & 0x7ffff) << 2;
    const std::uint64_t page =  // 21 bits and a sign
        ((section.address + at) & ~std::uint64_t{0xfff}) +
        (((pages ^ 0x100000) - 0x100000) << 12);
    const bool bti =
        at >= 4 && little_endian<std::uint32_t>(code, at - 4) == kBti;
    stubs.push_back({.start = section.address + at - (bti ? 4 : 0),
                     .size = bti ? 24u : 16u,
                     .slot = page + std::uint64_t{ldr >> 10 & 0xfff} * 8});
  }
  return stubs;
}

// "$x", "$d.1": code, data.
bool is_arm_mapping_symbol(std::string_view name) {
  return name.size() >= 2 && name[0] == '$' &&
         (name.size() == 2 || name[2] == '.') &&
         std::string_view("adtx").find(name[1]) != name.npos;
}

constexpr MachineTraits kAArch64 = {
    .machine = Machine::kAArch64,
    .elf_number = EM_AARCH64,
    .name = "aarch64",
    .other_name = "arm64",
    // The upper bits of an address may hold a signature (pointer
    // authentication).
    .unwinding = {.sp = 31,
                  .fp = 29,
                  .ra = 30,
                  .tracked = 0xffffffff,
                  .address_mask = (std::uint64_t{1} << 48) - 1},
    .perf_registers = {.pc = 32,
                       .sp = 31,
                       .mask = (std::uint64_t{1} << 33) - 1,
                       .to_dwarf = kAArch64Registers},
    .plt = {.jump_slot = R_AARCH64_JUMP_SLOT,
            .global_data = R_AARCH64_GLOB_DAT,
            .indirect = R_AARCH64_IRELATIVE,
            .find_stubs = find_aarch64_stubs},
    .debug_relocations = kAArch64Relocations,
    .is_mapping_symbol = is_arm_mapping_symbol,
};

// ---- RISC-V

// pc, x1 … x31; x0, always zero, is not recorded.
constexpr std::array<std::int8_t, 32> kRiscVRegisters = [] {
  std::array<std::int8_t, 32> numbers{-1};
  for (std::size_t i = 1; i < numbers.size(); ++i)
    numbers[i] = static_cast<std::int8_t>(i);
  return numbers;
}();

// Linker relaxation moves code, so lengths are differences of two symbols.
constexpr DebugRelocation kRiscVRelocations[] = {
    {R_RISCV_64, Change::kSet, 8},
    {R_RISCV_32, Change::kSet, 4},
    {R_RISCV_SET32, Change::kSet, 4},
    {R_RISCV_SET16, Change::kSet, 2},
    {R_RISCV_SET8, Change::kSet, 1},
    {R_RISCV_ADD8, Change::kAdd, 1},
    {R_RISCV_ADD16, Change::kAdd, 2},
    {R_RISCV_ADD32, Change::kAdd, 4},
    {R_RISCV_ADD64, Change::kAdd, 8},
    {R_RISCV_SUB8, Change::kSubtract, 1},
    {R_RISCV_SUB16, Change::kSubtract, 2},
    {R_RISCV_SUB32, Change::kSubtract, 4},
    {R_RISCV_SUB64, Change::kSubtract, 8},
};

// auipc t3, high; ld t3, low(t3)
std::vector<PltStub> find_riscv_stubs(const PltSection& section) {
  const std::string_view code = section.code;
  std::vector<PltStub> stubs;
  for (std::size_t at = 0; at + 8 <= code.size(); at += 4) {
    const auto auipc = little_endian<std::uint32_t>(code, at);
    const auto load = little_endian<std::uint32_t>(code, at + 4);
    if ((auipc & 0xfff) != 0xe17 || (load & 0xfffff) != 0xe3e03) continue;
    const auto high = static_cast<std::int32_t>(auipc & 0xfffff000);
    const auto low = static_cast<std::int32_t>(load) >> 20;
    const std::uint64_t start = section.address + at;
    stubs.push_back(
        {.start = start,
         .size = 16,
         .slot = start + static_cast<std::uint64_t>(std::int64_t{high} + low)});
  }
  return stubs;
}

// "$d", "$xrv64i2p1": data, code for that set of instructions.
bool is_riscv_mapping_symbol(std::string_view name) {
  if (name.starts_with("$d")) return name.size() == 2 || name[2] == '.';
  return name.starts_with("$x");
}

constexpr MachineTraits kRiscV = {
    .machine = Machine::kRiscV,
    .elf_number = EM_RISCV,
    .name = "riscv64",
    .unwinding = {.sp = 2,
                  .fp = 8,
                  .ra = 1,
                  .tracked = 0xffffffff,
                  .saved_fp = -16,
                  .saved_ra = -8,
                  .cfa = 0},
    .perf_registers = {.pc = 0,
                       .sp = 2,
                       .mask = (std::uint64_t{1} << 32) - 1,
                       .to_dwarf = kRiscVRegisters},
    .plt = {.jump_slot = R_RISCV_JUMP_SLOT,
            .global_data = R_RISCV_64,  // fills plain slots
            .indirect = 58,             // R_RISCV_IRELATIVE, not in older elf.h
            .find_stubs = find_riscv_stubs},
    .debug_relocations = kRiscVRelocations,
    .is_mapping_symbol = is_riscv_mapping_symbol,
};

// ---- others, whose symbols and debug information alone are read

constexpr DebugRelocation kX86Relocations[] = {{R_386_32, Change::kSet, 4}};
constexpr MachineTraits kX86 = {.machine = Machine::kX86,
                                .elf_number = EM_386,
                                .debug_relocations = kX86Relocations};

constexpr DebugRelocation kArmRelocations[] = {{R_ARM_ABS32, Change::kSet, 4}};
constexpr MachineTraits kArm = {.machine = Machine::kArm,
                                .elf_number = EM_ARM,
                                .debug_relocations = kArmRelocations,
                                .is_mapping_symbol = is_arm_mapping_symbol};

constexpr DebugRelocation kPpc64Relocations[] = {
    {R_PPC64_ADDR64, Change::kSet, 8}, {R_PPC64_ADDR32, Change::kSet, 4}};
constexpr MachineTraits kPpc64 = {.machine = Machine::kPpc64,
                                  .elf_number = EM_PPC64,
                                  .debug_relocations = kPpc64Relocations};

constexpr DebugRelocation kS390Relocations[] = {{R_390_64, Change::kSet, 8},
                                                {R_390_32, Change::kSet, 4}};
constexpr MachineTraits kS390 = {.machine = Machine::kS390,
                                 .elf_number = EM_S390,
                                 .debug_relocations = kS390Relocations};

constexpr MachineTraits kOther = {};

constexpr const MachineTraits* kTraits[] = {
    &kX86_64, &kAArch64, &kRiscV, &kX86, &kArm, &kPpc64, &kS390, &kOther};
static_assert(std::size(kTraits) == static_cast<int>(Machine::kOther) + 1);

template <class Matches>
Machine find(Matches matches) {
  for (const MachineTraits* traits : kTraits)
    if (matches(*traits)) return traits->machine;
  return Machine::kOther;
}

}  // namespace

const MachineTraits& traits_of(Machine machine) {
  return *kTraits[static_cast<std::size_t>(machine)];
}

Machine machine_of_elf(std::uint16_t elf_number) {
  return find([&](const MachineTraits& traits) {
    return traits.elf_number == elf_number;
  });
}

Machine machine_named(std::string_view name) {
  if (name.empty()) return Machine::kOther;
  return find([&](const MachineTraits& traits) {
    return traits.name == name || traits.other_name == name;
  });
}

Machine machine_of_registers(std::uint64_t mask) {
  const auto needed = static_cast<std::size_t>(std::bit_width(mask));
  const MachineTraits* best = &kOther;
  for (const MachineTraits* traits : kTraits) {
    const std::size_t count = traits->perf_registers.to_dwarf.size();
    if (count >= needed &&
        (best == &kOther || count < best->perf_registers.to_dwarf.size()))
      best = traits;
  }
  return best->machine;
}

Machine own_machine() {
#if defined(__x86_64__)
  return Machine::kX86_64;
#elif defined(__aarch64__)
  return Machine::kAArch64;
#elif defined(__riscv) && __riscv_xlen == 64
  return Machine::kRiscV;
#else
  return Machine::kOther;
#endif
}

}  // namespace wick

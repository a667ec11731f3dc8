// SPDX-License-Identifier: Apache-2.0
// Firmware that is linked at 0 and relocates itself to where it is loaded, as
// OpenSBI since 1.5 is. Nothing in such a file but its layout tells it from a
// library: distributions strip it of all symbols.
#pragma once

#include <cstdint>

#include "object/elf/elf_file.h"

namespace wick {

// By convention, DRAM of RISC-V machines begins here (QEMU's virt, Rocket,
// SiFive) with the SBI, followed by the kernel. User programs are never mapped
// in these two megabytes.
inline constexpr std::uint64_t kDramStart = 0x80000000;
inline constexpr std::uint64_t kFirmwareEnd = 0x80200000;

// A program or library has its ELF header at its first address, where the
// dynamic loader reads it. Firmware has its first instruction there.
bool is_firmware(const ElfFile& elf);

}  // namespace wick

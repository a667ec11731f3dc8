// SPDX-License-Identifier: Apache-2.0
// For tests: RISC-V code that nobody wrote, and ways through it. Lengths,
// branches, jumps, calls and returns are about as frequent as in compiled code,
// and every jump leads to an instruction.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "object/elf/elf_file.h"

namespace wick {

class RiscvProgram {
 public:
  // The same seed gives the same code. `elf_addr` is that of the first
  // instruction.
  RiscvProgram(unsigned seed, std::size_t pages, std::uint64_t elf_addr);

  std::uint64_t elf_addr() const { return elf_addr_; }
  const std::string& text() const { return text_; }
  std::shared_ptr<const ElfFile> elf(std::uint16_t type,
                                     const std::string& name) const;

  struct Instruction {
    std::uint64_t elf_addr = 0;
    std::uint32_t bits = 0;
  };
  // `count` instructions as they could be executed, from one near `from` on;
  // returns go anywhere within `reach` bytes of it.
  std::vector<Instruction> walk(std::mt19937& random, std::uint64_t from,
                                std::size_t count,
                                std::uint64_t reach = 4096) const;

 private:
  enum class Kind : std::uint8_t { kPlain, kBranch, kJump, kReturn };
  struct Slot {
    std::uint32_t offset = 0;
    std::uint8_t length = 4;
    Kind kind = Kind::kPlain;
    std::uint32_t target = 0;  // a slot
    std::uint32_t bits = 0;
  };
  void encode(std::mt19937& random, std::size_t i);
  std::size_t slot_near(std::uint64_t offset) const;

  std::uint64_t elf_addr_;
  std::string text_;
  std::vector<Slot> slots_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "builders/riscv_program.h"

#include <elf.h>

#include <algorithm>

#include "builders/elf_builder.h"

namespace wick {
namespace {

std::uint32_t field(std::int64_t value, int from, int count, int to) {
  return (static_cast<std::uint32_t>(value) >> from & ((1u << count) - 1))
         << to;
}

std::uint32_t branch(std::uint32_t registers, std::int64_t to) {
  return 0x63 | (registers & 0x01ff7000) | field(to, 12, 1, 31) |
         field(to, 5, 6, 25) | field(to, 1, 4, 8) | field(to, 11, 1, 7);
}
std::uint32_t jal(std::uint32_t link, std::int64_t to) {
  return 0x6f | link << 7 | field(to, 20, 1, 31) | field(to, 1, 10, 21) |
         field(to, 11, 1, 20) | field(to, 12, 8, 12);
}
std::uint32_t c_beqz(std::int64_t to) {
  return 0xc001 | field(to, 8, 1, 12) | field(to, 3, 2, 10) |
         field(to, 6, 2, 5) | field(to, 1, 2, 3) | field(to, 5, 1, 2);
}
std::uint32_t c_j(std::int64_t to) {
  return 0xa001 | field(to, 11, 1, 12) | field(to, 4, 1, 11) |
         field(to, 8, 2, 9) | field(to, 10, 1, 8) | field(to, 6, 1, 7) |
         field(to, 7, 1, 6) | field(to, 1, 3, 3) | field(to, 5, 1, 2);
}

}  // namespace

RiscvProgram::RiscvProgram(unsigned seed, std::size_t pages,
                           std::uint64_t elf_addr)
    : elf_addr_(elf_addr) {
  std::mt19937 random(seed);
  const std::size_t size = pages * 4096;
  for (std::uint32_t at = 0; at + 4 <= size;) {
    Slot slot{.offset = at};
    slot.length = random() % 2 == 0 ? 2 : 4;
    const auto dice = random() % 20;
    slot.kind = dice < 3   ? Kind::kBranch
                : dice < 5 ? Kind::kJump
                : dice < 6 ? Kind::kReturn
                           : Kind::kPlain;
    slots_.push_back(slot);
    at += slot.length;
  }
  slots_.back().kind = Kind::kReturn;
  text_.assign(size, '\0');
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    encode(random, i);
    for (int byte = 0; byte < slots_[i].length; ++byte)
      text_[slots_[i].offset + byte] =
          static_cast<char>(slots_[i].bits >> 8 * byte);
  }
}

void RiscvProgram::encode(std::mt19937& random, std::size_t i) {
  Slot& slot = slots_[i];
  const bool small = slot.length == 2;
  const auto noise = static_cast<std::uint32_t>(random());
  const std::int64_t reach = small && slot.kind == Kind::kBranch ? 120 : 900;
  const std::int64_t to =
      slot.offset + static_cast<std::int64_t>(random() % (2 * reach)) - reach;
  slot.target = static_cast<std::uint32_t>(
      slot_near(static_cast<std::uint64_t>(std::max<std::int64_t>(to, 0))));
  // Jumps go forwards, so that no way is a circle for ever.
  if (slot.kind == Kind::kJump && slot.target <= i) slot.kind = Kind::kReturn;
  const std::int64_t distance =
      static_cast<std::int64_t>(slots_[slot.target].offset) - slot.offset;
  switch (slot.kind) {
    case Kind::kBranch:
      slot.bits =
          small ? c_beqz(distance) | (noise & 7) << 7 : branch(noise, distance);
      break;
    case Kind::kJump:
      slot.bits = small ? c_j(distance) : jal(noise % 2, distance);
      break;
    case Kind::kReturn:
      slot.bits = small ? 0x8082 : 0x00008067;
      break;
    case Kind::kPlain:
      // c.addi and addi of any registers and number.
      slot.bits = small ? 0x0001 | (noise & 0x1ffc) : 0x13 | (noise << 15);
      break;
  }
}

std::size_t RiscvProgram::slot_near(std::uint64_t offset) const {
  const auto found = std::ranges::lower_bound(
      slots_,
      static_cast<std::uint32_t>(
          std::min<std::uint64_t>(offset, slots_.back().offset)),
      {}, &Slot::offset);
  return static_cast<std::size_t>(found - slots_.begin());
}

std::shared_ptr<const ElfFile> RiscvProgram::elf(
    std::uint16_t type, const std::string& name) const {
  ElfBuilder elf({.machine = EM_RISCV, .type = type});
  elf.add_section({.name = ".text",
                   .flags = SHF_ALLOC | SHF_EXECINSTR,
                   .address = elf_addr_,
                   .content = text_});
  elf.add_symbol(
      {.name = "code_of_" + name, .value = elf_addr_, .size = text_.size()});
  return elf.file(name);
}

std::vector<RiscvProgram::Instruction> RiscvProgram::walk(
    std::mt19937& random, std::uint64_t from, std::size_t count,
    std::uint64_t reach) const {
  std::vector<Instruction> way;
  const std::uint64_t home = from - elf_addr_;
  std::size_t i = slot_near(home);
  while (way.size() < count) {
    const Slot& slot = slots_[i];
    way.push_back({elf_addr_ + slot.offset, slot.bits});
    const std::size_t next = i + 1;
    if (slot.kind == Kind::kReturn) {
      do i = slot_near(home + random() % reach);
      while (i == next);
    } else {
      const bool jumps = slot.kind == Kind::kJump ||
                         (slot.kind == Kind::kBranch && random() % 2 == 0);
      i = jumps ? slot.target : next;
    }
  }
  return way;
}

}  // namespace wick

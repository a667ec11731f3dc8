// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/go_rules.h"

#include <algorithm>
#include <limits>

#include "object/elf/elf_file.h"
#include "object/elf/machine.h"

namespace wick {
namespace {

// By DWARF's numbers.
constexpr std::uint8_t kRbp = 6, kRsp = 7, kReturnAddress = 16;
constexpr std::int16_t kPointer = 8;
// The stack pointer changes at the beginning and before each return; the
// largest functions have some thousand of them.
constexpr int kMaxChanges = 1 << 14;

// A function's list of changes: by how much the value changes, zigzag, and for
// how many bytes of code it then holds, each as a varint; a change of 0 ends
// it, unless it is the first. The value is -1 before.
std::optional<std::int64_t> value_at(ByteReader changes, std::uint64_t offset) {
  std::int64_t value = -1;
  std::uint64_t end = 0;
  for (int i = 0; i < kMaxChanges; ++i) {
    const std::uint64_t change = changes.read_varint();
    if (changes.failed() || change > UINT32_MAX || (change == 0 && i > 0))
      return {};
    value += static_cast<std::int64_t>(change >> 1) ^
             -static_cast<std::int64_t>(change & 1);
    if (value < -1 || value > std::numeric_limits<std::int32_t>::max() / 2)
      return {};
    const std::uint64_t length = changes.read_varint();
    if (changes.failed() || length > UINT32_MAX) return {};
    end += length;
    if (offset < end) return value;
  }
  return {};
}

}  // namespace

std::optional<GoRules> GoRules::of(const ElfFile& file) {
  if (file.machine() != Machine::kX86_64) return {};
  // Tens of megabytes in large programs: not at the cost of all others.
  const std::uint64_t most = file.memory().available() / 4;
  for (const ElfFile::Section& section : file.sections())
    if (section.name.ends_with(".gopclntab") && section.size > most) return {};
  if (const auto table = GoTable::find(file)) return GoRules(*table);
  return {};
}

bool GoRules::is_root(std::uint64_t elf_addr) const {
  const auto function = table_.function_at(elf_addr);
  return function && table_.is_root(*function);
}

UnwindRule GoRules::at(std::uint64_t elf_addr) const {
  const auto function = table_.function_at(elf_addr);
  if (!function) return {};
  UnwindRule rule{.ra_reg = kReturnAddress};
  if (table_.is_root(*function)) {
    rule.kind = UnwindRule::kRoot;
    return rule;
  }
  const auto size =
      value_at(table_.stack_sizes(*function), elf_addr - function->start);
  if (!size || *size < 0) return {};
  rule.kind = UnwindRule::kOffsets;
  rule.cfa_reg = kRsp;
  rule.cfa_offset = static_cast<std::int32_t>(*size) + kPointer;
  rule.ra_saved = true;
  // A function with a frame saves the frame pointer just below the return
  // address.
  const bool has_frame = *size >= kPointer;
  rule.count = has_frame ? 2 : 1;
  std::ranges::fill(rule.offset, static_cast<std::int16_t>(-kPointer));
  std::ranges::fill(rule.reg, kReturnAddress);
  if (has_frame) {
    rule.offset[0] = -2 * kPointer;
    rule.reg[0] = kRbp;
  }
  return rule;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/unwind_coverage.h"

#include <elf.h>

#include <algorithm>

#include "object/elf/elf_file.h"
#include "object/unwind/unwind_table.h"

namespace wick {
namespace {

constexpr std::uint64_t kStep = 16;
// Functions begin at multiples of 16, often of 64, and what lies between two of
// them has no rule.
constexpr std::uint64_t kMostPadding = 64;

bool is_code(const ElfFile::Section& section) {
  constexpr std::uint64_t kFlags = SHF_ALLOC | SHF_EXECINSTR;
  return section.type == SHT_PROGBITS && (section.flags & kFlags) == kFlags;
}

std::uint64_t covered_bytes(const UnwindTable& table, std::uint64_t begin,
                            std::uint64_t size) {
  std::uint64_t covered = 0, without = 0;
  for (std::uint64_t at = 0; at < size; at += kStep) {
    const std::uint64_t step = std::min(kStep, size - at);
    if (table.find(begin + at).kind == UnwindRule::kNone) {
      without += step;
      continue;
    }
    covered += step + (without <= kMostPadding ? without : 0);
    without = 0;
  }
  return covered + (without <= kMostPadding && covered > 0 ? without : 0);
}

}  // namespace

UnwindCoverage unwind_coverage(const std::shared_ptr<const ElfFile>& file,
                               const std::shared_ptr<const ElfFile>& debug,
                               int workers) {
  const UnwindTable table = UnwindTable::build(file, debug);
  table.compile_all(workers);
  UnwindCoverage coverage;
  for (const ElfFile::Section& section : file->sections()) {
    // A section that claims more than the file has is damaged.
    if (!is_code(section) || file->bytes(section).size() != section.size)
      continue;
    coverage.code += section.size;
    coverage.covered += covered_bytes(table, section.address, section.size);
  }
  return coverage;
}

}  // namespace wick

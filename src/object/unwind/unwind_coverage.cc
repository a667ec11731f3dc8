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
// From the entry point on: _start and then crtbegin.o's register_tm_clones,
// frame_dummy and others, which have no rules in any program of gcc's.
constexpr std::uint64_t kStartFiles = 256;

// .init and .fini have no rules either: each is made of pieces of functions.
bool is_code(const ElfFile::Section& section) {
  constexpr std::uint64_t kFlags = SHF_ALLOC | SHF_EXECINSTR;
  return section.type == SHT_PROGBITS && (section.flags & kFlags) == kFlags &&
         section.name != ".init" && section.name != ".fini";
}

UnwindCoverage coverage_of(const ElfFile::Section& section,
                           const UnwindTable& table, std::uint64_t entry) {
  UnwindCoverage coverage;
  std::uint64_t without = 0;
  const auto end_gap = [&] {
    coverage.code += without;
    if (without <= kMostPadding && coverage.covered > 0)
      coverage.covered += without;
    without = 0;
  };
  for (std::uint64_t at = 0; at < section.size; at += kStep) {
    const std::uint64_t step = std::min(kStep, section.size - at);
    const std::uint64_t elf_addr = section.address + at;
    if (table.find(elf_addr).kind != UnwindRule::kNone) {
      end_gap();
      coverage.code += step;
      coverage.covered += step;
    } else if (elf_addr - entry >= kStartFiles) {
      without += step;
    }
  }
  end_gap();
  return coverage;
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
    const UnwindCoverage its = coverage_of(section, table, file->entry());
    coverage.code += its.code;
    coverage.covered += its.covered;
  }
  return coverage;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/unwind/function_ranges.h"

#include <algorithm>
#include <utility>

#include "object/elf/elf_file.h"

namespace wick {
namespace {

std::optional<std::uint64_t> start_in(const CfiFunctions& functions,
                                      std::uint64_t base,
                                      std::uint64_t elf_addr) {
  const std::vector<std::uint32_t>& starts = functions.index.starts;
  const auto next = std::ranges::upper_bound(
      starts, elf_addr - base, {},
      [](std::uint32_t start) { return std::uint64_t{start}; });
  if (elf_addr < base || next == starts.begin()) return {};
  const auto row = static_cast<std::size_t>(next - starts.begin()) - 1;
  CfiEntry entry;
  Cie cie;
  Fde fde;
  // An index from .eh_frame_hdr may be wrong.
  if (!read_entry(functions.cfi, functions.index.offsets[row], entry) ||
      entry.is_cie || !read_cie(functions.cfi, entry.cie_offset, cie) ||
      !read_fde(functions.cfi, entry, cie, fde))
    return {};
  if (fde.start != base + starts[row] || elf_addr >= fde.end) return {};
  return fde.start;
}

}  // namespace

FunctionRanges::FunctionRanges(std::shared_ptr<const ElfFile> file)
    : file_(std::move(file)), base_(lowest_code_address(*file_)) {
  const auto add = [&](CfiFunctions functions) {
    const std::uint64_t bytes =
        functions.index.starts.size() * kFrameIndexBytes;
    if (bytes == 0 || !file_->memory().take(bytes)) return;
    taken_ += bytes;
    sections_.push_back(std::move(functions));
  };
  add(functions_of_eh_frame(*file_, base_));
  add(functions_of_debug_frame(*file_, base_));
}

FunctionRanges::~FunctionRanges() { file_->memory().give_back(taken_); }

std::optional<std::uint64_t> FunctionRanges::start_of(
    std::uint64_t elf_addr) const {
  for (const CfiFunctions& functions : sections_)
    if (const auto start = start_in(functions, base_, elf_addr)) return start;
  return {};
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "object/resolved.h"

#include <algorithm>

namespace wick {

void Resolved::add(std::uint64_t elf_addr,
                   std::span<const ResolvedFrame> frames,
                   std::uint64_t function_start) {
  row_index_.find_or_add(
      hash_pair(elf_addr, 0),
      [&](std::uint32_t row) { return rows_[row].elf_addr == elf_addr; },
      [&] {
        if (frames.size() > kMaxFrames) {
          frames = frames.first(kMaxFrames);
          ++cut_rows_;
        }
        // Instructions that follow each other often have the same.
        const bool is_same =
            !rows_.empty() &&
            std::ranges::equal(this->frames(rows_.back()), frames);
        rows_.push_back({elf_addr,
                         is_same ? rows_.back().first
                                 : static_cast<std::uint32_t>(frames_.size()),
                         static_cast<std::uint32_t>(frames.size()),
                         function_start});
        if (!is_same)
          frames_.insert(frames_.end(), frames.begin(), frames.end());
        return static_cast<std::uint32_t>(rows_.size() - 1);
      });
}

const Resolved::Row* Resolved::find(std::uint64_t elf_addr) const {
  const std::uint32_t row = row_index_.find(
      hash_pair(elf_addr, 0),
      [&](std::uint32_t i) { return rows_[i].elf_addr == elf_addr; });
  return row == HashIndex::kNone ? nullptr : &rows_[row];
}

}  // namespace wick

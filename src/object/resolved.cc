// SPDX-License-Identifier: Apache-2.0
#include "object/resolved.h"

#include <algorithm>

namespace wick {

const Resolved::Row* Resolved::find(std::uint64_t elf_addr) const {
  const auto at = std::ranges::lower_bound(rows_, elf_addr, {}, &Row::elf_addr);
  return at != rows_.end() && at->elf_addr == elf_addr ? &*at : nullptr;
}

void Resolved::sort() {
  if (!std::ranges::is_sorted(rows_, {}, &Row::elf_addr))
    std::ranges::sort(rows_, {}, &Row::elf_addr);
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "base/hash_index.h"

#include <random>

namespace wick {

const std::uint64_t hash_detail::kSeed = [] {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32) | device();
}();

void HashIndex::grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.row_plus_1 == 0) continue;
    std::size_t at = slot.tag & mask_;
    while (slots_[at].row_plus_1 != 0) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
}

}  // namespace wick

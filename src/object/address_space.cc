// SPDX-License-Identifier: Apache-2.0
#include "object/address_space.h"

#include <algorithm>

namespace wick {

bool AddressSpace::unmap(std::uint64_t start, std::uint64_t end) {
  if (start >= end) return false;
  // The first that ends after `start`.
  auto at = std::ranges::upper_bound(mappings_, start, {}, &Mapping::end);
  if (at == mappings_.end() || at->start >= end) return false;
  if (at->start < start) {
    const Mapping whole = *at;
    at->end = start;
    ++at;
    if (whole.end > end) {
      mappings_.insert(at,
                       {end, whole.end, whole.file_off_of(end), whole.image});
      return true;
    }
  }
  const auto last = std::find_if(at, mappings_.end(),
                                 [&](const Mapping& m) { return m.end > end; });
  if (last != mappings_.end() && last->start < end) {
    last->file_off = last->file_off_of(end);
    last->start = end;
  }
  mappings_.erase(at, last);
  return true;
}

void AddressSpace::map(const Mapping& mapping) {
  if (mapping.start >= mapping.end) return;
  unmap(mapping.start, mapping.end);
  mappings_.insert(
      std::ranges::lower_bound(mappings_, mapping.start, {}, &Mapping::start),
      mapping);
}

bool AddressSpace::has_any(std::uint64_t start, std::uint64_t end) const {
  const auto at = std::ranges::upper_bound(mappings_, start, {}, &Mapping::end);
  return at != mappings_.end() && at->start < end;
}

void AddressSpace::clear() { mappings_.clear(); }

const Mapping* AddressSpace::find(std::uint64_t runtime_addr) const {
  const auto at =
      std::ranges::upper_bound(mappings_, runtime_addr, {}, &Mapping::end);
  if (at == mappings_.end() || at->start > runtime_addr) return nullptr;
  return &*at;
}

}  // namespace wick

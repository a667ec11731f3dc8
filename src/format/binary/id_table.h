// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/hash_index.h"

namespace wick {

// Finds rows by their ids in the file, which usually count from 1.
class IdTable {
 public:
  static constexpr std::uint32_t kNone = HashIndex::kNone;

  // The row of `id`, which is row number size(); false if there is one already.
  bool add(std::uint64_t id) {
    const auto row = static_cast<std::uint32_t>(ids_.size());
    if (id == row + std::uint64_t{1} && index_.size() == 0) {
      ids_.push_back(id);
      return true;
    }
    if (index_.size() == 0)
      for (std::uint32_t i = 0; i < row; ++i) insert(ids_[i], i);
    if (insert(id, row) != row) return false;
    ids_.push_back(id);
    return true;
  }

  std::uint32_t find(std::uint64_t id) const {
    if (index_.size() == 0)
      return id - 1 < ids_.size() ? static_cast<std::uint32_t>(id - 1) : kNone;
    return index_.find(hash_pair(id, 0),
                       [&](std::uint32_t row) { return ids_[row] == id; });
  }

 private:
  std::uint32_t insert(std::uint64_t id, std::uint32_t row) {
    return index_.find_or_add(
        hash_pair(id, 0), [&](std::uint32_t i) { return ids_[i] == id; },
        [&] { return row; });
  }

  std::vector<std::uint64_t> ids_;
  HashIndex index_;  // empty while the ids are 1, 2, 3 …
};

}  // namespace wick

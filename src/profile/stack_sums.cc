// SPDX-License-Identifier: Apache-2.0
#include "profile/stack_sums.h"

#include "base/metrics.h"

namespace wick {

void StackSums::clear() { rows_.assign(1, Row{}); }

void StackSums::add(StackId stack, const StackWeights& weights) {
  rows_[row_of(stack)].self.add(weights);
}

std::uint32_t StackSums::row_of(StackId stack) {
  const auto is_new = [&](StackId id) {
    const std::uint32_t place = place_[id];
    return place >= rows_.size() || rows_[place].stack != id;
  };
  for (; stack != StackId::kRoot && is_new(stack);
       stack = stacks_.parent(stack))
    pending_.push_back(stack);
  count_steps(pending_.size());
  std::uint32_t row = stack == StackId::kRoot ? kRoot : place_[stack];
  for (; !pending_.empty(); pending_.pop_back()) {
    const StackId id = pending_.back();
    rows_.push_back({.stack = id, .caller = row});
    row = place_[id] = static_cast<std::uint32_t>(rows_.size() - 1);
  }
  return row;
}

void StackSums::sum() {
  for (auto i = static_cast<std::uint32_t>(rows_.size()); i-- > 0;) {
    Row& row = rows_[i];
    row.total.add(row.self);
    if (i == kRoot) break;
    Row& caller = rows_[row.caller];
    caller.total.add(row.total);
    row.next = caller.first_callee;
    caller.first_callee = i;
  }
}

}  // namespace wick

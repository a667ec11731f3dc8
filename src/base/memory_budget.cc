// SPDX-License-Identifier: Apache-2.0
#include "base/memory_budget.h"

#include <algorithm>

namespace wick {

bool MemoryBudget::take(std::uint64_t bytes) {
  std::uint64_t used = used_;
  do {
    if (bytes > limit_ - used) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes));
  return true;
}

std::uint64_t MemoryAccount::available() const {
  const std::uint64_t own = own_.limit() - own_.used();
  return budget_ ? std::min(own, budget_->limit() - budget_->used()) : own;
}

bool MemoryAccount::take(std::uint64_t bytes) {
  if (!own_.take(bytes)) {
    exceeded_own_ = true;
    return false;
  }
  if (!budget_ || budget_->take(bytes)) return true;
  own_.give_back(bytes);
  exceeded_budget_ = true;
  return false;
}

void MemoryAccount::give_back(std::uint64_t bytes) {
  own_.give_back(bytes);
  if (budget_) budget_->give_back(bytes);
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "itrace/contexts.h"

#include <utility>

namespace wick {

Context Contexts::make(std::uint32_t hart) {
  Context context;
  context.thread = static_cast<std::uint32_t>(threads_.size());
  threads_.push_back({.hart = hart});
  return context;
}

void Contexts::park(Context context) {
  if (parked_.size() >= kMaxParked) parked_.pop_front();
  parked_.push_back(std::move(context));
}

Context Contexts::take(std::size_t i) {
  const auto at = parked_.end() - 1 - static_cast<std::ptrdiff_t>(i);
  Context context = std::move(*at);
  parked_.erase(at);
  return context;
}

}  // namespace wick

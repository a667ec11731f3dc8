// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/contexts.h"

#include <algorithm>
#include <utility>

namespace wick {

Context Contexts::make(std::uint32_t hart) {
  Context context;
  context.thread = static_cast<std::uint32_t>(threads_.size());
  threads_.push_back({.hart = hart});
  return context;
}

void Contexts::park(Context context) {
  if (parked_.size() >= kMaxParked) {
    note_end(parked_.front().thread);
    parked_.pop_front();
  }
  if (context.is_urgent)
    parked_.push_front(std::move(context));
  else
    parked_.push_back(std::move(context));
}

Context Contexts::take(std::size_t i) {
  const auto at = parked_.end() - 1 - static_cast<std::ptrdiff_t>(i);
  Context context = std::move(*at);
  parked_.erase(at);
  return context;
}

void Contexts::note_birth(Birth birth) {
  if (births_.size() >= kMaxBirths) births_.pop_front();
  births_.push_back(std::move(birth));
}

std::optional<Contexts::Birth> Contexts::take_birth(std::uint64_t pc) {
  const auto found = std::ranges::find_if(births_, [&](const Birth& birth) {
    return birth.frames.back().site != pc && birth.frames.back().resumes_at(pc);
  });
  if (found == births_.end()) return {};
  Birth birth = std::move(*found);
  births_.erase(found);
  return birth;
}

}  // namespace wick

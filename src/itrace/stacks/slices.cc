// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/slices.h"

#include <utility>

namespace wick {
namespace {

bool goes_on(const Slice& before, const Slice& slice) {
  return before.node == slice.node &&
         before.cycle + before.weight == slice.cycle;
}

}  // namespace

void Slices::add(const Slice& slice) {
  if (has_places_ && all_.size() >= limits_.with_places) forget_places();
  if (!has_places_ && joined(slice)) return;
  ++count_;
  if (count_ <= limits_.all) all_.push_back(slice);
}

bool Slices::joined(const Slice& slice) {
  const auto [last, is_new] = last_.try_emplace(slice.hart, all_.size());
  if (is_new || last->second >= all_.size() ||
      !goes_on(all_[last->second], slice)) {
    last->second = all_.size();
    return false;
  }
  all_[last->second].weight += slice.weight;
  return true;
}

void Slices::forget_places() {
  has_places_ = false;
  const std::vector<Slice> with_places = std::exchange(all_, {});
  count_ = 0;
  for (const Slice& slice : with_places) add(slice);
}

}  // namespace wick

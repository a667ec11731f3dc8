// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/cycle_shares.h"

namespace wick {
namespace {

// After an instruction that flushes the pipeline, nothing can retire for a
// while, and it is responsible for the wait. So is a mispredicted jump, but a
// trace does not show mispredictions: a short wait after a transfer is assumed
// to be one, a long one to be the fetch of the code.
constexpr std::uint64_t kMispredicted = 16;

// Also correct for the -1 before a first cycle of 0.
constexpr std::int64_t cycles_between(std::uint64_t from, std::uint64_t to) {
  return static_cast<std::int64_t>(to - from);
}

bool waits_after(Flow flow, bool transferred, std::uint64_t stall) {
  switch (flow.kind()) {
    case FlowKind::kFlush:
    case FlowKind::kXret:
    case FlowKind::kEcall:
    case FlowKind::kBreak:
    case FlowKind::kWait:
      return true;
    case FlowKind::kBranch:
    case FlowKind::kIndirectJump:
    case FlowKind::kIndirectCall:
    case FlowKind::kReturn:
      return transferred && stall <= kMispredicted;
    default:
      return false;
  }
}

}  // namespace

void CycleShares::begin_block(const TraceBlock& block) {
  const std::vector<Retired>& all = block.instructions;
  const bool is_first = block_ == nullptr;
  started_ = !is_first;
  block_ = &block;
  if (is_first || block.after_gap) previous_cycle_ = all.front().cycle - 1;
  block_previous_ = previous_cycle_;
  sum_offset_ = given_ - previous_cycle_;
  // Collects the signs of all differences.
  std::uint64_t less_one = all.front().cycle - previous_cycle_ - 1;
  if (!block.cycles_rise)
    for (std::size_t i = 1; i < all.size(); ++i)
      less_one |= all[i].cycle - all[i - 1].cycle - 1;
  sums_.clear();
  steps_back_.clear();
  step_back_ = 0;
  if (less_one >> 63 != 0) add_up_groups(all);
  previous_cycle_ = all.back().cycle;
}

void CycleShares::add_up_groups(const std::vector<Retired>& all) {
  sums_.resize(all.size() + 1);
  std::uint64_t previous = previous_cycle_, sum = given_;
  for (std::size_t i = 0; i < all.size();) {
    const std::uint64_t cycle = all[i].cycle;
    std::size_t end = i + 1;
    while (end < all.size() && all[end].cycle == cycle) ++end;
    std::uint64_t weight = cycle - previous;
    if (cycles_between(previous, cycle) < 0) {  // time goes backwards
      ++time_disorder_;
      weight = 0;
      steps_back_.push_back({i, sum - cycle});
    }
    // A group that began in the previous block has used up its cycle.
    const std::size_t turn = weight == 0 ? 0 : turn_++ % (end - i);
    for (std::size_t k = i; k < end; ++k) {
      sums_[k] = sum;
      sum += (k == i ? weight : 0) + (turn != 0 && k == i + turn ? 1 : 0) -
             (turn != 0 && k == i ? 1 : 0);
    }
    previous = cycle;
    i = end;
  }
  sums_[all.size()] = sum;
}

std::uint64_t CycleShares::stall_before(std::size_t at, Flow flow,
                                        bool transferred) const {
  if (!started_ && at == 0) return 0;
  const std::uint64_t weight = before(at + 1) - before(at);
  if (weight <= 1) return 0;
  return attribution_ == Attribution::kLastCommitted ||
                 waits_after(flow, transferred, weight - 1)
             ? weight - 1
             : 0;
}

void CycleShares::begin_slice(std::size_t at, CallNodeId node,
                              std::uint16_t place) {
  if (slice_node_ == node && slice_place_ == place) return;
  end_slice();
  slice_node_ = node;
  slice_place_ = place;
  // Right after everything attributed so far: a wait is part of the slice of
  // the stack that it counts for.
  for (; step_back_ < steps_back_.size() && steps_back_[step_back_].at <= at;
       ++step_back_)
    sum_offset_ = steps_back_[step_back_].sum_offset;
  slice_start_ = given_ - sum_offset_ + 1;
}

void CycleShares::end_slice() {
  if (slice_ && slice_node_ != CallNodeId::kRoot && given_ > slice_weight_)
    slice_(slice_start_, slice_node_, slice_place_, given_ - slice_weight_);
  slice_weight_ = given_;
  slice_node_ = CallNodeId::kRoot;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Which instruction gets which cycles. Each gets the time since the one before
// it, so a run of instructions gets the difference of two cycles, and nothing
// needs to be stored for each of them.
//
// Sums are kept only if several instructions retire in one cycle: the oldest
// gets the time waited, and the cycle itself goes to each in turn, from group
// to group, so that sums stay integral and none is left out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "itrace/code/riscv.h"
#include "itrace/formats/instruction.h"
#include "itrace/stacks/accounts.h"
#include "profile/format.h"

namespace wick {

class CycleShares {
 public:
  // Called whenever the stack, or the place in its function, changes, with the
  // weight of the previous one: for flame charts. May be empty.
  using Slice = std::function<void(std::uint64_t cycle, CallNodeId node,
                                   std::uint16_t place, std::uint64_t weight)>;

  CycleShares(Attribution attribution, Slice slice)
      : attribution_(attribution), slice_(std::move(slice)) {}

  // `block` lives until the next one.
  void begin_block(const TraceBlock& block);

  // What all instructions before `at` get, including those of earlier blocks.
  std::uint64_t before(std::size_t at) const {
    if (!sums_.empty()) return sums_[at];
    return sum_offset_ +
           (at == 0 ? block_previous_ : block_->instructions[at - 1].cycle);
  }
  // The same, and what instruction `at` gets if that belongs to the one before
  // it, which has `flow`.
  std::uint64_t up_to(std::size_t at, Flow flow, bool transferred) const {
    return attribution_ == Attribution::kNextCommitting
               ? before(at)
               : before(at) + stall_before(at, flow, transferred);
  }

  // What has been given to stacks so far. The rest is done by who counts.
  std::uint64_t given() const { return given_; }
  void set_given(std::uint64_t sum) { given_ = sum; }
  // Cycles that go back.
  std::uint64_t time_disorder() const { return time_disorder_; }

  bool makes_slices() const { return slice_ != nullptr; }
  void begin_slice(std::size_t at, CallNodeId node, std::uint16_t place);
  void end_slice();

 private:
  void add_up_groups(const std::vector<Retired>& all);
  std::uint64_t stall_before(std::size_t at, Flow flow, bool transferred) const;

  Attribution attribution_;
  Slice slice_;
  const TraceBlock* block_ = nullptr;
  bool started_ = false;  // an instruction has retired before
  std::uint64_t given_ = 0, time_disorder_ = 0;
  // Before each instruction of the block; empty: sum_offset_ plus the cycle.
  std::vector<std::uint64_t> sums_;
  // Where cycles decrease: from here on, sum = cycle + sum_offset.
  struct StepBack {
    std::size_t at;
    std::uint64_t sum_offset;
  };
  std::vector<StepBack> steps_back_;
  std::size_t step_back_ = 0;  // the next one
  std::uint64_t previous_cycle_ = 0, block_previous_ = 0, sum_offset_ = 0;
  std::uint32_t turn_ = 0;

  std::uint64_t slice_start_ = 0, slice_weight_ = 0;
  CallNodeId slice_node_ = CallNodeId::kRoot;
  std::uint16_t slice_place_ = 0;
};

}  // namespace wick

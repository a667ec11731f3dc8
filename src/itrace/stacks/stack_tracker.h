// SPDX-License-Identifier: Apache-2.0
// Follows one hart through the instructions it retired and attributes every
// cycle to one stack. Three parts can be read alone:
//
//   CycleShares    which instruction gets which cycles
//   CallStack      how calls, returns and traps move frames
//   RunningThread  which thread's stack that is
//
// Only transfers reach the latter two: a sequential instruction costs a look-up
// and an addition.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "itrace/code/code_map.h"
#include "itrace/code/places.h"
#include "itrace/formats/instruction.h"
#include "itrace/stacks/accounts.h"
#include "itrace/stacks/call_stack.h"
#include "itrace/stacks/code_view.h"
#include "itrace/stacks/contexts.h"
#include "itrace/stacks/cycle_shares.h"
#include "itrace/stacks/landmarks.h"
#include "itrace/stacks/running_thread.h"
#include "profile/format.h"

namespace wick {

// What is counted in addition to Accounts.
struct TrackerCounts {
  std::uint64_t instructions = 0, calls = 0, traps = 0, switches = 0;
  std::uint64_t last_cycle = 0;      // of the trace
  std::uint64_t weight = 0;          // attributed so far
  std::uint64_t resynchronised = 0;  // steps the stack did not explain
  std::uint64_t unwound = 0;         // frames left without a return
  std::uint64_t time_disorder = 0;   // cycles that go back
};

class StackTracker {
 public:
  struct Options {
    Attribution attribution = Attribution::kNextCommitting;
    std::uint32_t hart = 0;
    CycleShares::Slice slice;
    CallStack::Transcript transcript;
    // Called before another thread resumes: what other harts did until this
    // cycle comes first. May be empty.
    std::function<void(std::uint64_t cycle)> before_switch;
  };

  StackTracker(CodeMap& map, Places& places, Accounts& accounts,
               Contexts& contexts, Options options);
  StackTracker(const StackTracker&) = delete;
  StackTracker& operator=(const StackTracker&) = delete;

  // Begins the next block of this hart, which must not be empty. `spaces` is
  // the result of CodeMap::learn() for it. Both live until the block has ended.
  void begin(const TraceBlock& block, std::span<const SpaceChange> spaces);
  // Tracks instructions of the block up to and with this cycle. True if the
  // block has ended.
  bool advance(std::uint64_t cycle);
  // All of a block.
  void track(const TraceBlock& block, std::span<const SpaceChange> spaces) {
    if (block.instructions.empty()) return;
    begin(block, spaces);
    advance(UINT64_MAX);
  }
  // Call after the last block.
  void finish();

  TrackerCounts counts() const;
  const std::vector<StackFrame>& frames() const { return stack_.frames(); }
  // The functions of the stack, outermost first, for tests and messages.
  std::string describe() const;

 private:
  void apply_events(std::size_t at);
  void apply(const ContextChange& change);
  void apply(const SpaceChange& change);
  void apply(const SideBandFact& fact);
  std::size_t next_event(std::size_t at) const;
  std::size_t first_after(std::uint64_t cycle) const;
  void run(std::size_t from, std::size_t to);
  void enter(std::size_t at, std::uint64_t pc);
  void leave_for_next(std::size_t at);
  void follow(std::size_t at);
  Flow flow_before(std::size_t at) const;
  Layer layer_reached() const;
  void land();

  CodeMap& map_;
  Accounts& accounts_;
  Contexts& contexts_;
  Landmarks landmarks_;
  CodeView view_;
  CycleShares shares_;
  CallStack stack_;
  RunningThread thread_;
  std::function<void(std::uint64_t cycle)> before_switch_;
  std::uint64_t instructions_ = 0, last_cycle_ = 0;

  Privilege privilege_ = Privilege::kUnknown;
  bool started_ = false, gap_ = false, trap_marked_ = false;
  bool process_changed_ = false;

  // kNoPage: the next instruction is looked up and does not count as
  // sequential.
  static constexpr std::uint64_t kNoPage = 1;
  std::uint64_t page_pc_ = kNoPage;
  std::uint32_t last_bits_ = 0;           // of the previous block
  Accounts::Counter* counter_ = nullptr;  // of the previous instruction

  const TraceBlock* block_ = nullptr;
  std::span<const SpaceChange> spaces_;
  std::size_t at_ = 0;  // the next instruction of the block
  // The next rows of the block's events.
  std::size_t context_at_ = 0, trap_at_ = 0, space_at_ = 0, fact_at_ = 0;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// All harts of a machine, in the order of time: a thread may leave one and
// resume on another, so before a hart resumes a thread, the others are tracked
// up to that moment.
//
// What time is depends on the source. Cycles are the same for all harts.
// Without a clock, blocks are in the order in which they were executed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "itrace/code/code_map.h"
#include "itrace/formats/trace_reader.h"
#include "itrace/stacks/stack_tracker.h"

namespace wick {

class TracedMachine {
 public:
  using MakeTracker =
      std::function<std::unique_ptr<StackTracker>(StackTracker::Options)>;

  // `make` gets options with the number of the hart and before_switch.
  TracedMachine(TraceReader& reader, CodeMap& map, MakeTracker make);

  // Tracks the whole trace. Calls `between` after every block, when no hart is
  // in the middle of a step.
  void track(const std::function<void()>& between = [] {});
  // The counts of all harts together; last_cycle is the last one of all. If the
  // trace marks every trap, that is their number.
  TrackerCounts counts() const;

 private:
  struct Piece {
    TraceBlock block;
    std::vector<SpaceChange> spaces;  // of the block
    std::uint64_t time = 0;           // of its first instruction
  };
  struct Hart {
    std::unique_ptr<StackTracker> tracker;
    std::deque<std::unique_ptr<Piece>> pieces;  // the first may have begun
    bool has_begun = false;
    bool is_busy = false;  // it is being tracked
  };

  bool pull();
  void pull_until(const Hart& hart, std::uint64_t time);
  Hart& hart(std::uint32_t number);
  bool is_ready(const Hart& hart) const;
  void advance(Hart& hart, std::uint64_t time);
  void advance_others(std::uint64_t time);

  TraceReader& reader_;
  CodeMap& map_;
  MakeTracker make_;
  bool has_clock_;
  std::map<std::uint32_t, Hart> harts_;  // by number
  bool is_over_ = false;
  std::size_t waiting_ = 0;   // pieces
  std::uint64_t read_ = 0;    // pieces so far
  std::uint64_t latest_ = 0;  // the time of the last piece that was read
  std::uint64_t marked_traps_ = 0;
  std::vector<std::unique_ptr<Piece>> unused_;
};

}  // namespace wick

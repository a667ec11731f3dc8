// SPDX-License-Identifier: Apache-2.0
// For tests: what StackTracker makes of a trace through TracedCode, as a
// transcript of pushes and pops and as sums by stack.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "builders/traced_code.h"
#include "itrace/stacks/stack_tracker.h"

namespace wick {

class TrackedStacks : public testing::Test {
 protected:
  struct How {
    bool bits = false;  // the trace has instruction words
    bool text = true;   // the files have text; else there is a System.map
    Attribution attribution = Attribution::kNextCommitting;
  };

  // Gives what was pushed and popped, one transfer after the other.
  std::string track(std::string_view trace, const How& how) {
    map_ = std::make_unique<CodeMap>(TraceOptions{}, TraceInfo{});
    if (how.text)
      code_.add_to(*map_);
    else
      code_.add_as_system_map(*map_);
    places_ = std::make_unique<Places>(*map_, Places::Detail::kFunctions);
    accounts_ = Accounts();
    contexts_ = Contexts();
    said_.clear();
    tracker_ = std::make_unique<StackTracker>(
        *map_, *places_, accounts_, contexts_,
        StackTracker::Options{.attribution = how.attribution,
                              .transcript = [this](const std::string& line) {
                                said_ += line + '\n';
                              }});
    TraceBlock block = code_.trace(trace);
    if (how.bits) block.bits = code_.bits(block);
    tracker_->track(block, {});
    tracker_->finish();
    EXPECT_EQ(given_out(), block.instructions.back().cycle -
                               block.instructions.front().cycle + 1)
        << "every cycle goes to one stack";
    EXPECT_EQ(tracker_->counts().weight, given_out());
    return said_;
  }
  std::string track(std::string_view trace) { return track(trace, {}); }

  std::uint64_t given_out() const {
    std::uint64_t sum = 0;
    for (const CallNodeId id : accounts_.ids())
      for (std::uint32_t place = 0; place < accounts_[id].places; ++place)
        sum += accounts_.counter(id, place).weight;
    return sum;
  }
  // "main;work" and the cycles that it has itself. Call it after the last
  // block.
  std::uint64_t self(const std::string& stack) {
    accounts_.settle_rest();
    std::uint64_t sum = 0;
    for (const CallNodeId id : accounts_.ids())
      if (accounts_[id].depth > 0 && path(id) == stack)
        sum += accounts_.counter(id, 0).weight;
    return sum;
  }
  std::uint64_t calls(std::string_view function) const {
    std::uint64_t sum = 0;
    for (const CallNodeId id : accounts_.ids())
      if (map_->function(accounts_[id].function).name == function)
        sum += accounts_[id].calls;
    return sum;
  }
  std::string path(CallNodeId id) const {
    std::string out;
    for (; accounts_[id].depth > 0; id = accounts_[id].caller)
      out = std::string(map_->function(accounts_[id].function).name) +
            (out.empty() ? "" : ";") + out;
    return out;
  }
  std::string stack() const { return tracker_->describe(); }

  TracedCode code_;
  std::string said_;  // lives as long as the tracker
  std::unique_ptr<CodeMap> map_;
  std::unique_ptr<Places> places_;
  Accounts accounts_;
  Contexts contexts_;
  std::unique_ptr<StackTracker> tracker_;
};

}  // namespace wick

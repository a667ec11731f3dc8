// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/traced_machine.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "builders/traced_code.h"

namespace wick {
namespace {

class GivenBlocks final : public TraceReader {
 public:
  GivenBlocks(std::vector<TraceBlock> blocks, const TraceInfo& info)
      : blocks_(std::move(blocks)) {
    info_ = info;
  }
  bool next(TraceBlock& block) override {
    block.clear();
    if (at_ == blocks_.size()) return false;
    block = blocks_[at_++];
    return true;
  }

 private:
  std::vector<TraceBlock> blocks_;
  std::size_t at_ = 0;
};

// main waits on hart 0 and goes on on hart 1, where a thread of the kernel ran.
class TracedMachineTest : public testing::Test {
 protected:
  TracedMachineTest() {
    code_.function("main", "ecall nop");
    code_.function("handle_exception", "nop call sret");
    code_.function("k_sys_wait", "call ret");
    code_.function("k_schedule", "nop call nop ret");
    code_.function("__switch_to", "nop ret");
    code_.function("k_worker", "nop call nop j");
    code_.function("ret_from_fork", "nop jalr nop sret");
    code_.add_to(map_);
  }
  TraceBlock block(std::uint32_t hart, std::string_view trace) const {
    TraceBlock block = code_.trace(trace);
    block.hart = hart;
    return block;
  }
  TrackerCounts track(std::vector<TraceBlock> blocks,
                      const TraceInfo& info = {}) {
    GivenBlocks reader(std::move(blocks), info);
    TracedMachine machine(reader, map_, [this](StackTracker::Options options) {
      return std::make_unique<StackTracker>(map_, places_, accounts_, contexts_,
                                            std::move(options));
    });
    machine.track();
    accounts_.settle_rest();
    return machine.counts();
  }
  std::uint64_t self(const std::string& stack) const {
    std::uint64_t sum = 0;
    for (const CallNodeId id : accounts_.ids())
      if (accounts_[id].depth > 0 && path(id) == stack)
        sum += accounts_.counter(id, 0).instructions;
    return sum;
  }
  std::string path(CallNodeId id) const {
    std::string out;
    for (; accounts_[id].depth > 0; id = accounts_[id].caller)
      out = std::string(map_.function(accounts_[id].function).name) +
            (out.empty() ? "" : ";") + out;
    return out;
  }

  const std::string kMainWaits =
      "@100 main:0 handle_exception:0-1 k_sys_wait:0 k_schedule:0-1 "
      "__switch_to:0-1 ret_from_fork:0-1 k_worker:0 ";
  const std::string kMainGoesOn =
      "@50 ret_from_fork:0-1 k_worker:0-1 @200 k_schedule:0-1 __switch_to:0-1 "
      "k_schedule:2-3 k_sys_wait:1 handle_exception:2 main:1";
  TracedCode code_;
  CodeMap map_{TraceOptions{}, TraceInfo{}};
  Places places_{map_, Places::Detail::kFunctions};
  Accounts accounts_;
  Contexts contexts_;
};

TEST_F(TracedMachineTest, AThreadGoesOnOnAnotherHart) {
  track({block(0, kMainWaits), block(1, kMainGoesOn)});
  EXPECT_EQ(self("main"), 2u);
  EXPECT_EQ(self("main;handle_exception;k_sys_wait;k_schedule"), 4u);
}

// A file may have what one hart did before what another did earlier.
TEST_F(TracedMachineTest, WhatHappenedBeforeOnOtherHartsComesFirst) {
  track({block(1, kMainGoesOn), block(0, kMainWaits)});
  EXPECT_EQ(self("main"), 2u);
  EXPECT_EQ(self("main;handle_exception;k_sys_wait;k_schedule"), 4u);
}

TEST_F(TracedMachineTest, WithoutAClockBlocksAreInTheOrderOfExecution) {
  const std::size_t middle = kMainGoesOn.find("@200");
  track({block(1, kMainGoesOn.substr(0, middle)), block(0, kMainWaits),
         block(1, "@5 " + kMainGoesOn.substr(middle + 5))},
        {.unit = "instructions"});
  EXPECT_EQ(self("main"), 2u);
  EXPECT_EQ(self("main;handle_exception;k_sys_wait;k_schedule"), 4u);
}

TEST_F(TracedMachineTest, CountsTheTrapsThatTheTraceMarksIfItMarksAll) {
  TraceBlock traps =
      block(0, "main:0 handle_exception:0 handle_exception:2 main:0");
  traps.traps = {{.at = 0}, {.at = 3}};  // nothing follows the second
  EXPECT_EQ(track({traps}).traps, 1u);
  EXPECT_EQ(track({traps}, {.has_traps = true}).traps, 2u);
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "itrace/merged_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace wick {
namespace {

struct Given {
  std::uint32_t hart;
  std::uint64_t cycle;
};

// A block of one instruction for each.
class GivenBlocks final : public TraceReader {
 public:
  explicit GivenBlocks(std::vector<Given> blocks, std::string unit = "cycles")
      : blocks_(std::move(blocks)) {
    info_.unit = std::move(unit);
  }
  bool next(TraceBlock& block) override {
    block.clear();
    if (at_ == blocks_.size()) return false;
    block.hart = blocks_[at_].hart;
    block.instructions.push_back({blocks_[at_++].cycle, 0x1000});
    return true;
  }

 private:
  std::vector<Given> blocks_;
  std::size_t at_ = 0;
};

NamedTrace trace(std::vector<Given> blocks) {
  return {"trace", std::make_unique<GivenBlocks>(std::move(blocks))};
}

// "hart:cycle" of each block.
std::string merged(NamedTrace a, NamedTrace b) {
  std::vector<NamedTrace> both;
  both.push_back(std::move(a));
  both.push_back(std::move(b));
  const auto reader = merge_traces(std::move(both));
  if (reader == nullptr) return "apart";
  std::string out;
  for (TraceBlock block; reader->next(block);)
    out += std::to_string(block.hart) + ":" +
           std::to_string(block.instructions.front().cycle) + " ";
  return out;
}

TEST(MergedTrace, BlocksAreInTheOrderOfTheirCycles) {
  EXPECT_EQ(merged(trace({{0, 1}, {0, 5}, {0, 9}}), trace({{1, 4}, {1, 6}})),
            "0:1 1:4 0:5 1:6 0:9 ");
}

TEST(MergedTrace, TwoFilesOfTheSameHartAreNotOneMachine) {
  EXPECT_EQ(merged(trace({{0, 1}}), trace({{0, 4}})), "apart");
}

TEST(MergedTrace, AHartThatIsInBothFilesLaterIsTwo) {
  EXPECT_EQ(merged(trace({{0, 1}, {1, 9}}), trace({{1, 4}})),
            "0:1 1:4 4096:9 ");
}

TEST(MergedTrace, WithoutAClockThereIsNoOrder) {
  EXPECT_EQ(merged({"a", std::make_unique<GivenBlocks>(
                             std::vector<Given>{{0, 1}}, "instructions")},
                   {"b", std::make_unique<GivenBlocks>(
                             std::vector<Given>{{1, 1}}, "instructions")}),
            "apart");
}

}  // namespace
}  // namespace wick

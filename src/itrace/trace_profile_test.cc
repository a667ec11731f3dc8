// SPDX-License-Identifier: Apache-2.0
#include "itrace/trace_profile.h"

#include <gtest/gtest.h>

#include <map>

#include "builders/traced_code.h"

namespace wick {
namespace {

class OneBlock : public TraceReader {
 public:
  explicit OneBlock(TraceBlock block) : block_(std::move(block)) {}
  bool next(TraceBlock& block) override {
    block.clear();
    std::swap(block, block_);
    return !block.instructions.empty();
  }

 private:
  TraceBlock block_;
};

class TraceProfileTest : public testing::Test {
 protected:
  using Stacks = std::map<std::string, std::int64_t>;

  Profile read(std::string_view trace, const ReadOptions& options) {
    OneBlock reader(code_.trace(trace));
    CodeMap map({}, {});
    code_.add_to(map);
    Profile profile = read_trace(reader, map, options);
    EXPECT_EQ(check(profile), "");
    return profile;
  }
  static Stacks stacks(const Profile& profile, std::string_view event) {
    Stacks out;
    std::vector<FrameId> frames;
    for (const Sample& sample : profile.samples) {
      if (profile.strings[profile.events[sample.event].name] != event) continue;
      std::string name;
      profile.stacks.frames_of(sample.stack, frames);
      for (const FrameId frame : frames)
        name +=
            (name.empty() ? "" : ";") + std::string(profile.function(frame));
      out[name] += sample.weight;
    }
    return out;
  }

  TracedCode code_;
};

TEST_F(TraceProfileTest, HasCyclesCallsAndInstructions) {
  code_.function("main", "call nop");
  code_.function("work", "nop ret");
  const Profile profile =
      read("@100 main:0 @110 work:0-1 main:1", {.keep_time = false});
  EXPECT_EQ(stacks(profile, "cycles"),
            (Stacks{{"main", 2}, {"main;work", 11}}));
  EXPECT_EQ(stacks(profile, "calls"), (Stacks{{"main;work", 1}}));
  EXPECT_EQ(stacks(profile, "instructions"),
            (Stacks{{"main", 2}, {"main;work", 2}}));
}

TEST_F(TraceProfileTest, WithTimesEveryChangeOfTheStackIsASample) {
  code_.function("main", "call nop");
  code_.function("work", "nop ret");
  const Profile profile = read("@100 main:0 work:0-1 main:1", {});
  ASSERT_TRUE(profile.has_time);
  std::vector<std::uint64_t> times;
  for (const Sample& sample : profile.samples)
    if (sample.event == EventId{0}) times.push_back(sample.time);
  EXPECT_EQ(times, (std::vector<std::uint64_t>{100, 101, 103}));
  EXPECT_EQ(total_weight(profile, EventId{0}), 4);
}

TEST_F(TraceProfileTest, AnEmptyTraceIsAnEmptyProfile) {
  EXPECT_TRUE(read("", {}).samples.empty());
}

// --- FirePerf's rule, with its errors

class FirePerfTest : public TraceProfileTest {
 protected:
  Stacks theirs(std::string_view trace) {
    ReadOptions options;
    options.trace.attribution = Attribution::kFirePerf;
    return stacks(read(trace, options), "cycles");
  }
};

TEST_F(FirePerfTest, ACalleeGetsOnlyTheTimeBetweenItsInstructions) {
  code_.function("k_a", "nop call nop");
  code_.function("k_b", "ret");
  code_.function("main", "nop");
  EXPECT_EQ(theirs("@0 k_a:0-1 @51 k_b:0 @81 k_a:2 @82 main:0"),
            (Stacks{{"k_a", 81}}));
}

TEST_F(FirePerfTest, RecursionIsOneFrame) {
  code_.function("k_a", "nop call ret");
  code_.function("main", "nop");
  EXPECT_EQ(theirs("k_a:0-1 k_a:0-1 k_a:0-2 k_a:2 main:0"),
            (Stacks{{"k_a", 7}}));
}

TEST_F(FirePerfTest, TheSbiIsTakenForAProgramAndTheStackIsLost) {
  code_.function("k_a", "nop call nop");
  code_.function("k_b", "ecall nop ret");
  code_.function("m_sbi", "nop mret");
  const Stacks found = theirs("k_a:0-1 k_b:0 m_sbi:0-1 k_b:1-2 k_a:2 m_sbi:0");
  EXPECT_EQ(found.count("USERSPACE_ALL"), 1);
  EXPECT_EQ(found.count("k_b"), 1);
}

}  // namespace
}  // namespace wick

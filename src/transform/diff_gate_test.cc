// SPDX-License-Identifier: Apache-2.0
#include "transform/diff_gate.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/error.h"
#include "builders/read.h"

namespace wick {
namespace {

using Lines = std::vector<std::string>;

DiffTable folded_table(std::string_view before, std::string_view after) {
  return compare(join_as_difference(read_text("folded", before),
                                    read_text("folded", after)),
                 {});
}

TEST(Gate, ClosesOnGrowthThatIsSure) {
  const DiffTable table = folded_table("f 1000\ng 9000\n", "f 1500\ng 8500\n");
  EXPECT_EQ(check(parse_gate("^f$>+2%"), table).reasons,
            (Lines{"f grew from 10.00% to 15.00%: +5.00 points (between +4.09 "
                   "and +5.91 with 95% confidence), more than ^f$>+2%"}));
  EXPECT_TRUE(check(parse_gate("^f$>+6%"), table).reasons.empty());
}

TEST(Gate, StaysOpenWhereTheGrowthMayBeChance) {
  const DiffTable table = folded_table("f 10\ng 90\n", "f 15\ng 85\n");
  EXPECT_TRUE(check(parse_gate("f>+2%"), table).reasons.empty());
}

TEST(Gate, ReportsThatOnlyTheConfidenceKeepsItOpen) {
  const DiffTable table = folded_table("f 10\ng 90\n", "f 15\ng 85\n");
  EXPECT_EQ(check(parse_gate("f>+2%"), table).doubts,
            (Lines{"f grew from 10.00% to 15.00%: +5.00 points (between -4.37 "
                   "and +14.42 with 95% confidence), more than f>+2%, but "
                   "that may be chance"}));
  EXPECT_TRUE(check(parse_gate("f>+6%"), table).doubts.empty());
}

TEST(Gate, ClosesOnLoss) {
  const DiffTable table = folded_table("f 1000\ng 9000\n", "f 1500\ng 8500\n");
  EXPECT_EQ(check(parse_gate("g<-2%"), table).reasons.size(), 1u);
  EXPECT_TRUE(check(parse_gate("f<-2%"), table).reasons.empty());
}

TEST(Gate, ReportsWhetherAnythingHasSuchAName) {
  const DiffTable table = folded_table("f 1\n", "f 1\n");
  EXPECT_TRUE(check(parse_gate("f>2%"), table).matched);
  EXPECT_FALSE(check(parse_gate("h>2%"), table).matched);
}

TEST(Gate, TakesAnglesInsideTheExpression) {
  const Gate gate = parse_gate("operator->|vec<int>>+0.5%");
  EXPECT_TRUE(gate.function->found_in("std::vec<int>::f"));
  EXPECT_TRUE(gate.growth);
  EXPECT_DOUBLE_EQ(gate.limit, 0.005);
}

// `share` of `weight` units is in f, the rest in g.
Profile side_of(std::string_view unit, std::int64_t weight, double share) {
  constexpr int kSamples = 1000;
  Profile profile;
  const EventId event = profile.event_id("clock", unit);
  for (int i = 0; i < kSamples; ++i) {
    const char* name = i < share * kSamples ? "f" : "g";
    const Frame frame{.function = profile.strings.intern(name)};
    const StackId stack =
        profile.stacks.push(StackId::kRoot, profile.frames.intern(frame));
    profile.samples.push_back(
        {.weight = weight / kSamples, .stack = stack, .event = event});
  }
  return profile;
}

DiffTable table_of_sides(Profile before, Profile after,
                         const DiffWork& work = {}) {
  const SideSamples samples{effective_samples(before, EventRole::kPlain),
                            effective_samples(after, EventRole::kPlain)};
  return compare(join_as_difference(std::move(before), std::move(after)),
                 {.samples = samples, .work = work});
}

// A tenth of a second, then twice that, in equal shares.
DiffTable uniformly_slower(const DiffWork& work = {}) {
  return table_of_sides(side_of("nanoseconds", 100'000'000, 0.5),
                        side_of("nanoseconds", 200'000'000, 0.5), work);
}

TEST(CostGate, ClosesOnAProgramThatIsUniformlySlower) {
  const DiffTable table = uniformly_slower();
  EXPECT_TRUE(check(parse_gate("f>+0%"), table).reasons.empty());
  EXPECT_EQ(
      check(parse_gate("^f$>1.05x"), table).reasons,
      (Lines{"f grew from 50.0 ms to 100 ms per run: +50.0 ms, 2.000x "
             "(between +40.2 ms and +59.8 ms with 95% confidence), more than "
             "^f$>1.05x"}));
  EXPECT_EQ(check(parse_gate("total>1.05x"), table).reasons.size(), 1u);
  EXPECT_TRUE(check(parse_gate("f>2.1x"), table).reasons.empty());
}

TEST(CostGate, TakesTheNumberOfSamplesOfARunForChance) {
  const DiffTable table = folded_table("f 1000\n", "f 1100\n");
  EXPECT_EQ(
      check(parse_gate("total>1.05x"), table).reasons,
      (Lines{"the whole program grew from 1,000 to 1,100 per run: +100, "
             "1.100x (between +10.1 and +189.9 with 95% confidence), more "
             "than total>1.05x"}));
  const DiffTable few = folded_table("f 100\n", "f 110\n");
  EXPECT_TRUE(check(parse_gate("total>1.05x"), few).reasons.empty());
  EXPECT_EQ(check(parse_gate("total>1.05x"), few).doubts.size(), 1u);
}

TEST(CostGate, LimitsTimePerRun) {
  const DiffTable table = uniformly_slower();
  EXPECT_EQ(check(parse_gate("f>+40ms"), table).reasons.size(), 1u);
  EXPECT_EQ(check(parse_gate("f>+0.04s"), table).reasons.size(), 1u);
  EXPECT_TRUE(check(parse_gate("f>+60ms"), table).reasons.empty());
  EXPECT_EQ(check(parse_gate("total>+90000us"), table).reasons.size(), 1u);
}

TEST(CostGate, DividesByTheWorkOfEachSide) {
  const DiffTable table = uniformly_slower({.before = 1, .after = 2});
  EXPECT_TRUE(check(parse_gate("total>1.05x"), table).reasons.empty());
  EXPECT_TRUE(check(parse_gate("f>+1ms"), table).reasons.empty());
  const DiffTable halved = uniformly_slower({.before = 1, .after = 4});
  EXPECT_EQ(check(parse_gate("f<0.6x"), halved).reasons.size(), 1u);
  EXPECT_EQ(check(parse_gate("f<-20ms"), halved).reasons.size(), 1u);
}

TEST(CostGate, ConvertsUnitsOfTime) {
  const DiffTable table =
      table_of_sides(side_of("microseconds", 100'000, 0.5),
                     side_of("nanoseconds", 100'000'000, 0.5));
  EXPECT_TRUE(check(parse_gate("total>1.01x"), table).reasons.empty());
  EXPECT_TRUE(check(parse_gate("total<0.99x"), table).reasons.empty());
}

TEST(CostGate, StaysOpenWhereTheGrowthMayBeChance) {
  const DiffTable table = folded_table("f 10\ng 90\n", "f 15\ng 85\n");
  const GateResult result = check(parse_gate("f>1.05x"), table);
  EXPECT_TRUE(result.reasons.empty());
  EXPECT_EQ(result.doubts.size(), 1u);
}

TEST(CostGate, TakesAFunctionThatIsNewForInfinitelyDearer) {
  const DiffTable table = folded_table("g 9000\n", "f 1500\ng 9000\n");
  EXPECT_EQ(check(parse_gate("^f$>9x"), table).reasons.size(), 1u);
}

TEST(CostGate, NeedsTimesForALimitInTime) {
  const DiffTable table = folded_table("f 10\n", "f 20\n");
  EXPECT_THROW(check(parse_gate("f>+5ms"), table), Error);
}

TEST(CostGate, NeedsTheSameEventOnBothSides) {
  const DiffTable table =
      table_of_sides(side_of("cycles", 1'000'000, 0.5),
                     side_of("nanoseconds", 1'000'000, 0.5));
  EXPECT_THROW(check(parse_gate("f>1.05x"), table), Error);
}

TEST(Gate, TakesTotalForTheWholeProgram) {
  EXPECT_FALSE(parse_gate("total>1.05x").function);
  EXPECT_TRUE(parse_gate("^total$>1.05x").function);
  EXPECT_THROW(parse_gate("total>+2%"), UsageError);
}

TEST(Gate, NamesTheFormsOfALimit) {
  try {
    parse_gate("hot>2");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "'hot>2': '2' is not a percentage, a time or a ratio; "
                 "expected 'REGEX>+2%', 'REGEX>+50ms' or 'REGEX>1.05x', or < "
                 "for a decrease ('REGEX<-2%')");
  }
}

TEST(Gate, RefusesWhatItCannotRead) {
  for (const char* text :
       {"",      "f",      ">+2%",   "f>2",     "f>+x%",  "f>-2%",   "f<2%",
        "f<+2%", "f>+%",   "(>+2%",  "f>+nan%", "f>++2%", "f>+2min", "f>-2ms",
        "f<2ms", "f>0.9x", "f<1.1x", "f>+1.1x", "f>x",    "f>nanx"})
    EXPECT_THROW(parse_gate(text), UsageError) << text;
}

}  // namespace
}  // namespace wick

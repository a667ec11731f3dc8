// SPDX-License-Identifier: Apache-2.0
#include "transform/diff.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "builders/read.h"

namespace wick {
namespace {

// The lines "stack before after", as --to folded prints them.
std::vector<std::string> lines_of(const Profile& profile) {
  EXPECT_EQ(check(profile), "");
  const FlameGraph graph = fold(profile, {});
  std::vector<std::string> lines;
  for (const NodeId id : graph.ids())
    if (graph.self[id] != 0 || graph.before_self[id] != 0)
      lines.push_back(fmt::format("{} {:g} {:g}", stack_text(graph, id),
                                  graph.value(graph.before_self[id]),
                                  graph.value(graph.self[id])));
  return lines;
}

std::vector<std::string> joined(std::string_view before, std::string_view after,
                                const JoinOptions& options = {}) {
  return lines_of(join_as_difference(read_text("folded", before),
                                     read_text("folded", after), options));
}

Profile normalized(Profile difference, Compat compat = Compat::kWick) {
  normalize(difference, compat);
  return difference;
}

std::vector<std::string> normalized(std::string_view before,
                                    std::string_view after,
                                    Compat compat = Compat::kWick) {
  return lines_of(normalized(join_as_difference(read_text("folded", before),
                                                read_text("folded", after)),
                             compat));
}

using Lines = std::vector<std::string>;

DiffTable table_of(std::string_view before, std::string_view after) {
  return compare(join_as_difference(read_text("folded", before),
                                    read_text("folded", after)),
                 {});
}

const FunctionChange& function(const DiffTable& table, std::string_view name) {
  for (const FunctionChange& row : table.functions)
    if (row.name == name) return row;
  throw std::runtime_error("no such function");
}

TEST(Join, KeepsStacksOfEitherSide) {
  EXPECT_EQ(joined("a;gone 3\na;b 4\n", "a;b 5\na;new 6\n"),
            (Lines{"a;b 4 5", "a;gone 3 0", "a;new 0 6"}));
}

TEST(Normalize, ScalesAndRoundsEachStackDown) {
  // 10 to 15: 3 is 4.5, 7 is 10.5.
  EXPECT_EQ(normalized("a 3\nb 7\n", "a 5\nb 10\n"),
            (Lines{"a 4 5", "b 10 10"}));
}

TEST(Normalize, IsExactWhereFloatingPointIsShort) {
  EXPECT_EQ(normalized("a 3\nb 7\n", "a 29\nb 71\n"),
            (Lines{"a 30 29", "b 70 71"}));
}

TEST(Normalize, RoundsAStackOnceThatHasManySamples) {
  // Two lines of one stack: 1.5 + 1.5 is 3, not 1 + 1.
  EXPECT_EQ(normalized("a 1\na 1\nb 8\n", "b 15\n"),
            (Lines{"a 3 0", "b 12 15"}));
}

TEST(Normalize, WorksOnTwoColumnsOfOneFile) {
  EXPECT_EQ(lines_of(normalized(read_text("folded", "a 3 29\nb 7 71\n"))),
            (Lines{"a 30 29", "b 70 71"}));
}

TEST(Normalize, NotesWhatItLoses) {
  const Profile profile = normalized(join_as_difference(
      read_text("folded", "a 3\nb 7\n"), read_text("folded", "a 15\n")));
  EXPECT_EQ(profile.diagnostics.count(Problem::kRounded), 2u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kRounded), 1);
}

TEST(Normalize, LeavesNothingAsNothing) {
  EXPECT_EQ(normalized("a 0\n", "a 5\n"), (Lines{"a 0 5"}));
}

TEST(Join, StripsHexadecimalNumbersFromNames) {
  EXPECT_EQ(joined("a;0x1Fb;f_0x12 3\n0x 1\n", "a;0x22;f_0x7 4\n0xg 1\n",
                   {.strip_hex = true}),
            (Lines{"0x 1 0", "0xg 0 1", "a;0x...;f_0x... 3 4"}));
}

TEST(Join, KeepsDecimalsOfBothSides) {
  EXPECT_EQ(joined("a 1.5\n", "a 2.25\n"), (Lines{"a 1.5 2.25"}));
}

TEST(Join, ReadsANumberThatEndsWithItsPoint) {
  EXPECT_EQ(joined("a 20.\n", "a 15\n"), (Lines{"a 20 15"}));
}

TEST(Join, CutsEachDecimalAsInferno) {
  EXPECT_EQ(joined("a 1.9\na 1.9\n", "a 2.25\n", {.compat = Compat::kInferno}),
            (Lines{"a 2 2"}));
}

TEST(Normalize, CutsDecimalsAsPerl) {
  EXPECT_EQ(normalized("a 1.5\nb 8.5\n", "b 15\n", Compat::kPerl),
            (Lines{"a 2 0", "b 12 15"}));
}

TEST(Join, TakesThreadsOfOneNameAsOne) {
  const auto profile = [](std::int32_t pid) {
    Profile p;
    const ThreadId thread =
        p.thread_id({pid, pid + 1, p.strings.intern("make")});
    p.samples.push_back(
        {.weight = 1,
         .stack = p.stacks.push(StackId::kRoot, p.named_frame("main")),
         .thread = thread,
         .event = p.event_id("cycles")});
    return p;
  };
  const Profile both = join_as_difference(profile(10), profile(20));
  const FlameGraph graph = fold(both, {.root = ThreadRoot::kCommPidTid});
  EXPECT_EQ(graph.size(), 3u);
}

TEST(Join, ReportsWhichSideAFactIsTrueOf) {
  const auto profile = [](std::string_view command) {
    Profile p = read_text("folded", "a 1\n");
    p.about.clear();
    p.set_about("host", "vm");
    p.set_about("command", command);
    return p;
  };
  const Profile both = join_as_difference(profile("./old"), profile("./new"));
  std::vector<std::string> facts;
  for (const auto& [key, value] : both.about)
    facts.push_back(
        fmt::format("{}: {}", both.strings[key], both.strings[value]));
  EXPECT_THAT(facts, testing::ElementsAre("host: vm", "command, before: ./old",
                                          "command, after: ./new"));
}

TEST(Join, RefusesADifference) {
  EXPECT_THROW(join_as_difference(read_text("folded", "a 1 2\n"),
                                  read_text("folded", "a 1\n")),
               Error);
}

TEST(Join, KeepsTheWeightOfBothSides) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Profile before = random_profile(seed);
    const Profile after = random_profile(seed + 100);
    const std::int64_t weights[] = {whole_weight(before), whole_weight(after)};
    const Profile both =
        join_as_difference(random_profile(seed), random_profile(seed + 100));
    EXPECT_EQ(check(both), "");
    const FlameGraph graph = fold(both, {});
    EXPECT_EQ(graph.before_total[NodeId::kRoot], weights[0]);
    EXPECT_EQ(graph.total[NodeId::kRoot], weights[1]);
  }
}

TEST(Normalize, LosesNoMoreThanItNotes) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Profile both = normalized(
        join_as_difference(random_profile(seed), random_profile(seed + 100)));
    const FlameGraph graph = fold(both, {});
    EXPECT_EQ(graph.before_total[NodeId::kRoot] +
                  both.diagnostics.weight(Problem::kRounded),
              graph.total[NodeId::kRoot]);
  }
}

TEST(Join, IsDrawnByItsLargerSide) {
  const FlameGraph graph =
      fold(join_as_difference(read_text("folded", "a;gone 500\na;tiny 1\n"),
                              read_text("folded", "a;b 498\na;less 2\n")),
           {.min_share = 0.1});
  EXPECT_EQ(check(graph), "");
  std::vector<std::string> names;
  for (const NodeId id : graph.ids()) names.emplace_back(graph.name_of(id));
  EXPECT_EQ(names, (Lines{"", "a", "b", "gone"}));
  // What is not drawn is still in the totals.
  EXPECT_EQ(graph.total[NodeId{1}], 500);
  EXPECT_EQ(graph.before_total[NodeId{1}], 501);
}

TEST(Compare, GivesSharesOfEachSide) {
  const DiffTable table = table_of("a;b 10\na;c 30\n", "a;b 50\na;c 50\n");
  const FunctionChange& b = function(table, "b");
  EXPECT_DOUBLE_EQ(b.total.before_share, 0.25);
  EXPECT_DOUBLE_EQ(b.total.after_share, 0.5);
  EXPECT_DOUBLE_EQ(b.total.points(), 0.25);
  EXPECT_EQ(b.total.before, 10);
  EXPECT_EQ(b.total.after, 50);
}

TEST(Compare, PutsTheLargestChangeFirst) {
  const DiffTable table =
      table_of("a;b 50\na;c 40\na;d 10\n", "a;b 49\na;c 30\na;d 21\n");
  std::vector<std::string> names;
  for (const FunctionChange& row : table.functions) names.push_back(row.name);
  EXPECT_EQ(names, (Lines{"d", "c", "b", "a"}));
}

TEST(Compare, ListsNewAndGone) {
  const DiffTable table = table_of("a;x 5\n", "a;y 5\n");
  EXPECT_TRUE(function(table, "x").total.is_gone());
  EXPECT_TRUE(function(table, "y").total.is_new());
  EXPECT_EQ(table.stacks.size(), 2u);
}

TEST(Compare, KeepsInclusiveAndSelfApart) {
  const DiffTable table = table_of("f;g 10\n", "f 5\nf;g 5\n");
  const FunctionChange& f = function(table, "f");
  EXPECT_DOUBLE_EQ(f.total.points(), 0);
  EXPECT_DOUBLE_EQ(f.self.points(), 0.5);
}

TEST(Compare, IsSureOfMuchAndNotOfLittle) {
  EXPECT_FALSE(function(table_of("a 50\nb 50\n", "a 55\nb 45\n"), "a")
                   .total.interval.excludes_zero());
  EXPECT_TRUE(function(table_of("a 5000\nb 5000\n", "a 5500\nb 4500\n"), "a")
                  .total.interval.excludes_zero());
}

TEST(Compare, IsSureOfNothingWithAnEmptySide) {
  const DiffTable table = table_of("a 0\n", "a 10\n");
  EXPECT_EQ(table.before.samples, 0);
  EXPECT_FALSE(function(table, "a").total.interval.excludes_zero());
}

TEST(Compare, AProfileWithItselfHasNotChanged) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const DiffTable table = compare(
        join_as_difference(random_profile(seed), random_profile(seed)), {});
    for (const FunctionChange& row : table.functions) {
      EXPECT_EQ(row.total.points(), 0);
      EXPECT_EQ(row.self.points(), 0);
      EXPECT_FALSE(row.total.interval.excludes_zero());
    }
    for (const StackChange& row : table.stacks)
      EXPECT_EQ(row.change.points(), 0);
  }
}

TEST(Compare, SwappingTheSidesNegatesEverything) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const DiffTable forth = compare(
        join_as_difference(random_profile(seed), random_profile(seed + 50)),
        {});
    const DiffTable back = compare(
        join_as_difference(random_profile(seed + 50), random_profile(seed)),
        {});
    ASSERT_EQ(forth.functions.size(), back.functions.size());
    for (const FunctionChange& row : forth.functions) {
      const FunctionChange& other = function(back, row.name);
      EXPECT_EQ(row.total.points(), -other.total.points());
      EXPECT_EQ(row.self.points(), -other.self.points());
      EXPECT_NEAR(row.total.interval.low, -other.total.interval.high, 1e-12);
    }
    std::map<std::string, double> stacks;
    for (const StackChange& row : forth.stacks)
      stacks[stack_text(forth.graph, row.leaf)] = row.change.points();
    ASSERT_EQ(forth.stacks.size(), back.stacks.size());
    for (const StackChange& row : back.stacks)
      EXPECT_EQ(stacks.at(stack_text(back.graph, row.leaf)),
                -row.change.points());
  }
}

}  // namespace
}  // namespace wick

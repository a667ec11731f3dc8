// SPDX-License-Identifier: Apache-2.0
#include "transform/name_weights.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "builders/read.h"

namespace wick {
namespace {

FlameGraph graph_of(std::string_view text) {
  return fold(read_text("folded", text), {.root = ThreadRoot::kNone});
}

// "name self/total".
std::vector<std::string> by_name(const FlameGraph& graph) {
  std::vector<std::string> out;
  for (const NameWeight& row : sum_by_name(graph))
    out.push_back(
        fmt::format("{} {}/{}", graph.strings[row.name], row.self, row.total));
  return out;
}

NameSet set_of(const FlameGraph& graph, std::string_view name) {
  NameSet set(graph.strings.size());
  for (const StringId id : graph.strings.ids())
    set[id] = graph.strings[id] == name;
  return set;
}

std::map<std::string, std::int64_t> map_of(const FlameGraph& graph,
                                           const std::vector<Neighbour>& rows) {
  std::map<std::string, std::int64_t> out;
  for (const Neighbour& row : rows)
    out[std::string(graph.strings[row.name])] = row.weight;
  return out;
}

using Weights = std::map<std::string, std::int64_t>;

TEST(NameWeights, AddUpANameWhereverItStands) {
  EXPECT_EQ(by_name(graph_of("a;c 1\nb;c;d 2\nc 4\n")),
            (std::vector<std::string>{"a 0/1", "c 5/7", "b 0/2", "d 2/2"}));
}

TEST(NameWeights, CountAStackOnceInRecursion) {
  EXPECT_EQ(by_name(graph_of("f;f;g;f 5\nf;f 2\n")),
            (std::vector<std::string>{"f 7/7", "g 0/5"}));
}

TEST(NameWeights, SiblingsOfOneNameAreNoRecursion) {
  EXPECT_EQ(by_name(graph_of("a;x;y 1\na;z;x 2\nx 3\n")),
            (std::vector<std::string>{"a 0/3", "x 5/6", "y 1/1", "z 0/2"}));
}

TEST(NameWeights, KeepWeightWithoutAStack) {
  Profile profile = read_text("folded", "a 1\n");
  profile.samples.push_back({.weight = 4});
  const FlameGraph graph = fold(profile, {});
  EXPECT_EQ(by_name(graph), (std::vector<std::string>{" 4/4", "a 1/1"}));
}

TEST(NameWeights, SelfWeightsAddUpToTheWhole) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(seed);
    const FlameGraph graph = fold(profile, {.root = ThreadRoot::kNone});
    std::int64_t self = 0;
    for (const NameWeight& row : sum_by_name(graph)) self += row.self;
    EXPECT_EQ(self, whole_weight(profile));
  }
}

TEST(Callers, AreThoseOfTheOutermostCall) {
  const FlameGraph graph = graph_of("main;a;f;f 3\nmain;b;f;a;f 2\nf 1\n");
  EXPECT_EQ(map_of(graph, callers_of(graph, set_of(graph, "f"))),
            (Weights{{"a", 3}, {"b", 2}, {"", 1}}));
}

TEST(Callees, AreThoseOfTheInnermostCall) {
  const FlameGraph graph = graph_of("main;f;x;f;y 3\nf;f;z;w 2\nf;f 1\nz 9\n");
  EXPECT_EQ(map_of(graph, callees_of(graph, set_of(graph, "f"))),
            (Weights{{"y", 3}, {"z", 2}, {"", 1}}));
}

TEST(Neighbours, AddUpToTheFunctionsTotal) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const FlameGraph graph =
        fold(random_profile(seed), {.root = ThreadRoot::kNone});
    for (const NameWeight& row : sum_by_name(graph)) {
      const NameSet set = set_of(graph, graph.strings[row.name]);
      std::int64_t callers = 0, callees = 0;
      for (const Neighbour& n : callers_of(graph, set)) callers += n.weight;
      for (const Neighbour& n : callees_of(graph, set)) callees += n.weight;
      EXPECT_EQ(callers, row.total);
      EXPECT_EQ(callees, row.total);
    }
  }
}

}  // namespace
}  // namespace wick

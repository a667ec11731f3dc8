// SPDX-License-Identifier: Apache-2.0
#include "render/layout.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "builders/read.h"

namespace wick {
namespace {

// A line per frame that is drawn: "name depth start+extent".
std::string laid_out(std::string_view folded_text,
                     FoldOptions fold_options = {},
                     const LayoutOptions& options = {}) {
  const Profile profile = read_text("folded", folded_text);
  const FlameGraph graph = fold(profile, fold_options);
  const Layout layout = lay_out(graph, options);
  std::string out;
  for (const NodeId id : graph.ids())
    if (layout.is_drawn(id))
      out += fmt::format("{} {} {}+{}\n", graph.name_of(id), layout.depth[id],
                         layout.start[id], layout.extent[id]);
  return out;
}

TEST(Layout, PutsOwnWeightLeftOfTheCallees) {
  EXPECT_EQ(laid_out("a 2\na;b 3\na;c 4\nd 1\n"),
            " 0 0+10\n"
            "a 1 0+9\n"
            "b 2 2+3\n"
            "c 2 5+4\n"
            "d 1 9+1\n");
}

TEST(Layout, OfAChartKeepsOwnWeightWhereItWasMet) {
  EXPECT_EQ(laid_out("a;b 3\na 2\na;b 4\nc 1\n", {.flamechart = true}),
            " 0 0+10\n"
            "a 1 0+9\n"
            "b 2 0+3\n"
            "b 2 5+4\n"
            "c 1 9+1\n");
}

TEST(Layout, OfADifferenceGivesEachStackItsLargerWeight) {
  EXPECT_EQ(laid_out("a;gone 5 0\na;new 0 3\na;same 2 2\na 1 4\n"),
            " 0 0+14\n"
            "a 1 0+14\n"
            "gone 2 4+5\n"
            "new 2 9+3\n"
            "same 2 12+2\n");
}

TEST(Layout, AfterInfernoShowsTheWeightAfterOnly) {
  EXPECT_EQ(laid_out("a;gone 5 0\na;new 0 3\n", {}, {.after_only = true}),
            " 0 0+3\n"
            "a 1 0+3\n"
            "new 2 0+3\n");
}

TEST(Layout, LeavesOutWhatIsTooNarrowAndWhatIsAboveIt) {
  const Profile profile = read_text("folded", "a;b;c 1\na;d 99\n");
  const Layout layout = lay_out(fold(profile, {}), {.min_share = 0.02});
  EXPECT_EQ(layout.drawn, 3);
  EXPECT_EQ(layout.too_narrow, 2);
  EXPECT_EQ(layout.max_depth, 2);
}

TEST(Layout, NeverLeavesTheCaller) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(seed);
    for (const bool chart : {false, true}) {
      const FlameGraph graph =
          fold(profile, {.flamechart = chart, .min_share = 0.01});
      const Layout layout = lay_out(graph, {});
      for (const NodeId id : graph.ids()) {
        const NodeId parent = graph.parent[id];
        EXPECT_GE(layout.start[id], layout.start[parent]);
        EXPECT_LE(layout.start[id] + layout.extent[id],
                  layout.start[parent] + layout.extent[parent]);
      }
    }
  }
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "profile/fold.h"

#include <gtest/gtest.h>

#include <map>

#include "base/bytes.h"
#include "builders/read.h"

namespace wick {
namespace {

// "name(total)" in drawing order, indented by depth.
std::string drawn(const FlameGraph& graph) {
  EXPECT_EQ(check(graph), "");
  std::string text;
  for (const NodeId id : graph.ids()) {
    for (NodeId at = id; at != NodeId::kRoot; at = graph.parent[at])
      text += ' ';
    text += std::string(graph.name_of(id)) + "(" +
            std::to_string(graph.total[id]) + ")\n";
  }
  return text;
}

TEST(Fold, SumsWhatIsCalledIntoTheCaller) {
  const Profile profile = read_text("folded", "main;f 3\nmain;g 4\nmain 1\n");
  EXPECT_EQ(drawn(fold(profile, {})), "(8)\n main(8)\n  f(3)\n  g(4)\n");
}

TEST(Fold, ReversesStacks) {
  const Profile profile = read_text("folded", "main;f 3\nother;f 4\n");
  EXPECT_EQ(drawn(fold(profile, {.reversed = true})),
            "(7)\n f(7)\n  main(3)\n  other(4)\n");
}

TEST(Fold, LeavesOutWhatIsTooNarrowAndReportsIt) {
  const Profile profile = read_text("folded", "main;f 99\nmain;g;h 1\n");
  const FlameGraph graph = fold(profile, {.min_share = 0.05});
  EXPECT_EQ(drawn(graph), "(100)\n main(100)\n  f(99)\n");
  EXPECT_EQ(graph.diagnostics.count(Problem::kHiddenNarrow), 2u);
}

TEST(Fold, KeepsBothWeightsOfADifference) {
  const Profile profile = read_text("folded", "main;f 3 5\nmain;g 2 0\n");
  const FlameGraph graph = fold(profile, {});
  ASSERT_TRUE(graph.is_difference);
  EXPECT_EQ(drawn(graph), "(5)\n main(5)\n  f(5)\n  g(0)\n");
  EXPECT_EQ(graph.before_total[NodeId{1}], 5);
}

TEST(Fold, PutsThreadsUnderTheirCommand) {
  const Profile profile =
      read_text("perf-script",
                "a 1/2 1.0: c:\n\t1 f (/x)\n\nb 3/4 1.0: c:\n\t1 f (/x)\n\n");
  EXPECT_EQ(drawn(fold(profile, {})), "(2)\n a(1)\n  f(1)\n b(1)\n  f(1)\n");
  EXPECT_EQ(drawn(fold(profile, {.root = ThreadRoot::kNone})), "(2)\n f(2)\n");
}

TEST(Fold, LabelsKeepTheirNamesAmongModulesAndFiles) {
  Profile profile;
  const Frame label{.function = profile.strings.intern("[blocked]"),
                    .kind = FrameKind::kLabel};
  EXPECT_EQ(frame_name(profile, label, {.detail = NameDetail::kModule}),
            "[blocked]");
  EXPECT_EQ(frame_name(profile, label, {.detail = NameDetail::kFile}),
            "[blocked]");
}

TEST(Fold, GroupsByModule) {
  const Profile profile = read_text(
      "perf-script", "a 1 1.0: c:\n\t1 f (/lib/x.so)\n\t2 g (/bin/y)\n\n");
  EXPECT_EQ(drawn(fold(profile, {.detail = NameDetail::kModule})),
            "(1)\n a(1)\n  y(1)\n   x.so(1)\n");
}

TEST(Fold, NamesWhatHasNoNameByItsModuleAndWhereItBegins) {
  Profile profile;
  const ModuleId gzip = profile.module_id("/usr/bin/gzip");
  const Frame unknown{.module = gzip, .address = 0x4d2f};
  Frame function = unknown;
  function.function_start = 0x4d10;
  EXPECT_EQ(frame_name(profile, unknown, {}), "[gzip]");
  EXPECT_EQ(frame_name(profile, function, {}), "[gzip+0x4d10]");
  EXPECT_EQ(frame_name(profile, function, {.addresses = true}),
            "[gzip <4d2f>]");
}

TEST(Fold, KeepsTheOrderOfAChart) {
  const Profile profile = read_text("folded", "b;x 1\na 2\nb;x 3\nb;y 4\n");
  EXPECT_EQ(drawn(fold(profile, {.flamechart = true})),
            "(10)\n b(1)\n  x(1)\n a(2)\n b(7)\n  x(3)\n  y(4)\n");
}

TEST(Fold, CutsStacksThatAreTooDeepAndReportsIt) {
  std::string text = "f";
  for (int i = 0; i < 99; ++i) text += ";f";
  const FlameGraph graph =
      fold(read_text("folded", text + " 5\n"), {.max_depth = 10});
  EXPECT_EQ(graph.size(), 11u);
  EXPECT_EQ(graph.total[NodeId{10}], 5);
  EXPECT_GE(graph.diagnostics.count(Problem::kDeepStack), 1u);
}

TEST(Fold, TakesAVeryDeepStack) {
  std::string text = "f";
  for (int i = 0; i < 300'000; ++i) text += ";f";
  const Profile profile = read_text("folded", text + " 5\n");
  EXPECT_EQ(fold(profile, {}).total[NodeId::kRoot], 5);
}

// Model check: the tree has the same lines as a map from stack to weight.
TEST(Fold, AgreesWithANaiveFolding) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(seed);
    std::map<std::string, std::int64_t> model;
    for (const Sample& sample : profile.samples) {
      std::string line = thread_root_name(
          profile, profile.threads[sample.thread], ThreadRoot::kCommPid);
      std::vector<FrameId> frames;
      profile.stacks.frames_of(sample.stack, frames);
      for (const FrameId id : frames)
        line += ";" + frame_name(profile, profile.frames[id], {});
      model[line] += sample.weight;
    }
    std::string expected;
    for (const auto& [line, weight] : model)
      expected += line + " " + std::to_string(weight) + "\n";
    EXPECT_EQ(folded(profile, {.root = ThreadRoot::kCommPid}), expected);
  }
}

TEST(Fold, KeepsTheWholeWeightInEveryMode) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(seed);
    for (const FoldOptions& options :
         {FoldOptions{}, FoldOptions{.reversed = true},
          FoldOptions{.flamechart = true}, FoldOptions{.min_share = 0.1},
          FoldOptions{.root = ThreadRoot::kNone, .min_share = 0.1},
          FoldOptions{.detail = NameDetail::kModule},
          FoldOptions{.max_depth = 2}}) {
      const FlameGraph graph = fold(profile, options);
      EXPECT_EQ(check(graph), "");
      EXPECT_EQ(graph.total[NodeId::kRoot], whole_weight(profile));
    }
  }
}

// What of a whole graph is at least so wide.
std::string drawn_from(const FlameGraph& whole, double share) {
  FlameGraph wide;
  Column<NodeId, NodeId> now(whole.size());
  for (const NodeId id : whole.ids()) {
    if (static_cast<double>(whole.total[id]) <
        share * static_cast<double>(whole.total[NodeId::kRoot]))
      continue;
    now[id] = wide.parent.push_back(now[whole.parent[id]]);
    wide.name.push_back(wide.strings.intern(whole.name_of(id)));
    wide.module.push_back(wide.strings.intern(whole.strings[whole.module[id]]));
    wide.self.push_back(whole.self[id]);
    wide.total.push_back(whole.total[id]);
  }
  return drawn(wide);
}

TEST(Fold, WhatIsTooNarrowChangesNothingElse) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(seed);
    for (const double share : {0.02, 0.1, 0.3})
      for (FoldOptions options :
           {FoldOptions{}, FoldOptions{.root = ThreadRoot::kNone},
            FoldOptions{.detail = NameDetail::kModule},
            FoldOptions{.max_depth = 3}}) {
        const FlameGraph whole = fold(profile, options);
        options.min_share = share;
        EXPECT_EQ(drawn(fold(profile, options)), drawn_from(whole, share));
      }
  }
}

TEST(IsUnnamed, IsCodeWithoutAFunction) {
  Profile profile;
  EXPECT_TRUE(is_unnamed(profile, {.module = profile.module_id("/lib/x.so")}));
  EXPECT_FALSE(is_unnamed(profile, {.kind = FrameKind::kLabel}));
}

TEST(IsUnnamed, IsCodeWhoseNameStandsForNone) {
  Profile profile;
  const auto unnamed = [&](std::string_view name) {
    return is_unnamed(profile, {.function = profile.strings.intern(name)});
  };
  for (const char* name :
       {"[unknown]", "[libc.so.6]", "[libfoo.so]", "[gzip+0x4d10]",
        "[gzip <4d10>]", "[[vdso]]", "[unknown]_[k]", "0x7f12ab"})
    EXPECT_TRUE(unnamed(name)) << name;
  for (const char* name : {"main", "[blocked]", "[]", "-[Foo bar]", "0xzip",
                           "operator[]", "[truncated]"})
    EXPECT_FALSE(unnamed(name)) << name;
}

TEST(Fold, KeepsTheFileOfANodeWithoutItsFolders) {
  Profile profile;
  const StackId stack = profile.stacks.push(
      StackId::kRoot,
      profile.frames.intern({.function = profile.strings.intern("read"),
                             .module = profile.module_id("/lib/libc.so.6")}));
  profile.samples.push_back(
      {.weight = 1, .stack = stack, .event = profile.event_id("samples")});
  const FlameGraph graph = fold(profile, {});
  EXPECT_EQ(graph.strings[graph.module[NodeId{1}]], "libc.so.6");
  EXPECT_EQ(graph.strings[graph.module[NodeId::kRoot]], "");
}

}  // namespace
}  // namespace wick

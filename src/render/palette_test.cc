// SPDX-License-Identifier: Apache-2.0
#include "render/palette.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/error.h"

namespace wick {
namespace {

std::string text(const Rgb& c) {
  return fmt::format("{},{},{}", c.r, c.g, c.b);
}

std::string color(const DrawOptions& options, const Painted& frame) {
  return text(Palette(options).color(frame));
}

// Which of the plain palettes a family takes for a name.
std::string hue(const std::string& family, const Painted& frame) {
  for (const char* plain :
       {"red", "green", "yellow", "purple", "aqua", "orange", "blue"})
    if (color({.colors = family}, frame) == color({.colors = plain}, frame))
      return plain;
  return "none";
}

// The colours of the next three tests are those that flamegraph.pl and inferno
// draw.
TEST(Palette, FollowsFromTheNameAsInPerl) {
  EXPECT_EQ(color({}, {.name = "main"}), "243,179,42");
  EXPECT_EQ(color({.colors = "mem"}, {.name = "main"}), "0,228,163");
  EXPECT_EQ(color({.colors = "io"}, {.name = "main"}), "126,126,232");
}

TEST(Palette, HashesTheFirstLettersOnRequest) {
  EXPECT_EQ(color({.hash = true}, {.name = "main"}), "247,83,46");
}

TEST(Palette, HashesTheWholeNameAsInInferno) {
  EXPECT_EQ(color({.deterministic = true}, {.name = "main"}), "238,28,47");
}

TEST(Palette, HashLeavesOutTheModule) {
  EXPECT_EQ(color({.colors = "red", .hash = true}, {.name = "libc`malloc"}),
            color({.colors = "red", .hash = true}, {.name = "malloc"}));
}

TEST(Palette, GivesSeparatorsGrey) {
  EXPECT_EQ(color({.colors = "java"}, {.name = "--"}), "160,160,160");
  EXPECT_EQ(color({.colors = "java"}, {.name = "-"}), "200,200,200");
}

TEST(Palette, ForJavaGoesByLanguage) {
  EXPECT_EQ(hue("java", {.name = "x_[k]"}), "orange");
  EXPECT_EQ(hue("java", {.name = "x_[j]"}), "green");
  EXPECT_EQ(hue("java", {.name = "x_[i]"}), "aqua");
  EXPECT_EQ(hue("java", {.name = "java/util/Map"}), "green");
  EXPECT_EQ(hue("java", {.name = "org.example.Map"}), "green");
  EXPECT_EQ(hue("java", {.name = "JavaThread::run"}), "yellow");
  EXPECT_EQ(hue("java", {.name = "[libc.so.6]"}), "red");
  EXPECT_EQ(hue("java", {.name = "malloc"}), "red");
}

TEST(Palette, KnowsTheKindOfAFrameWithoutAnnotation) {
  EXPECT_EQ(hue("java", {.name = "x", .kind = FrameKind::kKernel}), "orange");
  EXPECT_EQ(hue("java", {.name = "x", .kind = FrameKind::kJit}), "green");
  EXPECT_EQ(hue("js", {.name = "x", .kind = FrameKind::kKernel}), "orange");
}

TEST(Palette, ForScriptsGoesByOrigin) {
  EXPECT_EQ(hue("js", {.name = "x /app/node_modules/y.js"}), "purple");
  EXPECT_EQ(hue("js", {.name = "/app/y.js"}), "green");
  EXPECT_EQ(hue("js", {.name = "Builtin:x"}), "aqua");
  EXPECT_EQ(hue("js", {.name = "v8::Call"}), "yellow");
  EXPECT_EQ(hue("perl", {.name = "Perl_runops"}), "green");
  EXPECT_EQ(hue("perl", {.name = "Foo::bar"}), "yellow");
  EXPECT_EQ(hue("python", {.name = "/lib/python3.11/json.py:x"}), "yellow");
  EXPECT_EQ(hue("python", {.name = "site-packages/a.py:x"}), "aqua");
  EXPECT_EQ(hue("python", {.name = "main.py:x"}), "red");
  EXPECT_EQ(hue("rust", {.name = "core::fmt::write"}), "orange");
  EXPECT_EQ(hue("rust", {.name = "bin`std::rt::start"}), "orange");
  EXPECT_EQ(hue("rust", {.name = "mine::run"}), "aqua");
  EXPECT_EQ(hue("rust", {.name = "malloc"}), "yellow");
  EXPECT_EQ(hue("wakeup", {.name = "x"}), "aqua");
}

TEST(Palette, ForChainsTellsTheWakerFromTheWaiter) {
  EXPECT_EQ(hue("chain", {.name = "x"}), "blue");
  EXPECT_EQ(hue("chain", {.name = "x_[w]"}), "aqua");
  const Rgb waker = Palette({.colors = "chain"})
                        .color({.name = "x", .after_separator = true});
  EXPECT_EQ(waker.g, waker.b);
}

// The hue of a kind, as the colour of its palest name.
std::string kind_color(FrameKind kind, bool unnamed = false) {
  return color({.colors = "kind"},
               {.name = "", .kind = kind, .unnamed = unnamed});
}

TEST(Palette, OfKindsShowsWhatCodeAFrameIs) {
  std::set<std::string> colors;
  for (const FrameKind kind :
       {FrameKind::kUser, FrameKind::kKernel, FrameKind::kInlined,
        FrameKind::kJit, FrameKind::kWasm, FrameKind::kOffCpu,
        FrameKind::kLabel})
    colors.insert(kind_color(kind));
  EXPECT_EQ(colors.size(), 7u);
}

TEST(Palette, OfKindsIsGreyForCodeWithoutAName) {
  const Rgb c = Palette({.colors = "kind"})
                    .color({.name = "[libc.so.6]",
                            .kind = FrameKind::kKernel,
                            .unnamed = true});
  EXPECT_EQ(c.r, c.g);
  EXPECT_EQ(c.g, c.b);
  EXPECT_NE(kind_color(FrameKind::kUser, true), kind_color(FrameKind::kUser));
}

TEST(Palette, OfModulesIsTheSameForAllFunctionsOfAFileUpToAShade) {
  const DrawOptions options{.colors = "module"};
  const auto in = [&](std::string_view name, std::string_view module) {
    return Palette(options).color({.name = name, .module = module});
  };
  EXPECT_NEAR(in("read", "libc.so.6").r, in("write", "libc.so.6").r, 12);
  EXPECT_NEAR(in("read", "libc.so.6").b, in("write", "libc.so.6").b, 12);
  EXPECT_NE(in("read", "libc.so.6"), in("read", "libm.so.6"));
  const Rgb unknown = in("read", "");
  EXPECT_EQ(unknown.r, unknown.b);
}

TEST(Palette, OfNamesFollowsFromTheNameUnlessThereIsNone) {
  const DrawOptions options{.colors = "name"};
  EXPECT_EQ(color(options, {.name = "f", .module = "a"}),
            color(options, {.name = "f", .module = "b"}));
  EXPECT_NE(color(options, {.name = "f"}), color(options, {.name = "g"}));
  EXPECT_EQ(color(options, {.name = "0x12", .unnamed = true}),
            color({.colors = "kind"}, {.name = "0x12", .unnamed = true}));
}

TEST(Palette, IsHotUnlessOneWasChosen) {
  EXPECT_EQ(color({}, {.name = "main"}),
            color({.colors = "hot"}, {.name = "main"}));
}

TEST(Palette, LabelsAreWhiteOnWhatIsTooDarkForBlack) {
  EXPECT_TRUE(has_white_label({205, 0, 0}));
  EXPECT_FALSE(has_white_label({255, 230, 55}));
  EXPECT_FALSE(has_white_label({230, 0, 230}));
}

TEST(Palette, OfADifferenceIsRedForGrowthAndBlueForShrinking) {
  EXPECT_EQ(color({}, {.name = "x", .change = 1.0}), "255,100,100");
  EXPECT_EQ(color({}, {.name = "x", .change = -0.5}), "175,175,255");
  EXPECT_EQ(color({}, {.name = "x", .change = 0.0}), "250,250,250");
  EXPECT_EQ(color({.negate = true}, {.name = "x", .change = 1.0}),
            "100,100,255");
}

TEST(Palette, CanFollowTheWidth) {
  const DrawOptions options{.color_diffusion = true};
  EXPECT_EQ(color(options, {.name = "x", .share = 1.0}), "255,100,100");
  EXPECT_EQ(color(options, {.name = "x", .share = 0.25}), "255,175,175");
}

TEST(Palette, ThatIsUnknownIsWrongUse) {
  EXPECT_THROW(Palette({.colors = "beige"}), UsageError);
  EXPECT_THROW(background({.bg_colors = "url(x)"}), UsageError);
}

TEST(Palette, HasABackgroundThatSuitsIt) {
  EXPECT_EQ(background({}).second, "#eeeeb0");
  EXPECT_EQ(background({.colors = "mem"}).second, "#e0ffe0");
  EXPECT_EQ(background({.colors = "chain"}).second, "#e0e0ff");
  EXPECT_EQ(background({.colors = "red"}).second, "#e8e8e8");
  EXPECT_EQ(background({.colors = "red", .bg_colors = "#123456"}).first,
            "#123456");
}

class PaletteMapFile : public testing::Test {
 protected:
  ~PaletteMapFile() override { std::filesystem::remove(path_); }
  const std::string path_ =
      testing::TempDir() + fmt::format("palette-{}.map", getpid());
};

TEST_F(PaletteMapFile, KeepsTheColourOfANameForTheNextPicture) {
  PaletteMap map = read_palette_map(path_);
  EXPECT_TRUE(map.empty());
  map.emplace("kept", Rgb{1, 2, 3});
  Palette palette({}, &map);
  EXPECT_EQ(text(palette.color({.name = "kept"})), "1,2,3");
  const Rgb other = palette.color({.name = "other"});
  write_palette_map(map, OutputName::typed(path_));
  EXPECT_EQ(read_palette_map(path_),
            (PaletteMap{{"kept", {1, 2, 3}}, {"other", other}}));
}

TEST_F(PaletteMapFile, LeavesOutLinesThatAreNone) {
  std::ofstream(path_) << "a->rgb(1,2,3)\nb->rgb(1,2)\nc->rgb(1,2,300)\n"
                          "d->e->rgb(1,2,3)\nrubbish\n\n";
  EXPECT_EQ(read_palette_map(path_), (PaletteMap{{"a", {1, 2, 3}}}));
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/setting.h"
#include "builders/read.h"
#include "profile/about_keys.h"
#include "transform/diff.h"

namespace wick {

extern const OutputFormat svg_output;

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string svg(std::string_view folded_text,
                const WriteOptions& options = {}) {
  return written("svg", read_text("folded", folded_text), options);
}

std::string absolute_svg(std::string_view folded_text) {
  Profile difference = read_text("folded", folded_text);
  set_scale(difference, Scale::kAbsolute);
  return written("svg", difference, {});
}

std::string_view name_of(Setting setting) {
  return setting == Setting::kViewerPage ? "--page" : "";
}

// Every text between `open` and `close`.
std::vector<std::string> between(std::string_view text, std::string_view open,
                                 std::string_view close) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(open); at != text.npos;
       at = text.find(open, at)) {
    at += open.size();
    found.emplace_back(text.substr(at, text.find(close, at) - at));
  }
  return found;
}

std::vector<std::string> tooltips(const std::string& picture) {
  std::vector<std::string> found;
  for (const std::string& frame : between(picture, "<g", "</g>"))
    for (std::string& title : between(frame, "<title>", "</title>"))
      found.push_back(std::move(title));
  return found;
}

TEST(Svg, RecommendsThePageIfMostOfItIsTooNarrowForNames) {
  const std::string advice =
      "too narrow for their names; the viewer&#39;s page lists and searches "
      "all of them; see --page";
  const auto drawn = [](const std::string& folded) {
    return svg(folded, {.setting_names = name_of});
  };
  EXPECT_THAT(drawn("main;a 3\nmain;b 97\n"), Not(HasSubstr(advice)));
  // Most of the area, most of the weight.
  std::string hair;
  for (int i = 0; i < 100; ++i)
    hair += fmt::format("main;f{0};g{0};h{0};i{0};j{0} 1\n", i);
  EXPECT_THAT(drawn(hair), HasSubstr(advice));
  std::string flat;
  for (int i = 0; i < 20'000; ++i) flat += fmt::format("main;f{} 1\n", i);
  EXPECT_THAT(drawn(flat), HasSubstr(advice));
}

TEST(Svg, ReportsNameCountAndShareOfEveryFrame) {
  EXPECT_THAT(
      tooltips(svg("a;b 1234\na 7\n")),
      ElementsAre("all (1,241 samples, 100%)", "a (1,241 samples, 100.00%)",
                  "b (1,234 samples, 99.44%)"));
}

std::string svg_of_nanoseconds(std::string_view folded_text,
                               const WriteOptions& options = {}) {
  Profile profile = read_text("folded", folded_text);
  profile.events[EventId{0}].unit = profile.strings.intern("nanoseconds");
  return written("svg", profile, options);
}

TEST(Svg, ShowsTimesForPeople) {
  EXPECT_THAT(tooltips(svg_of_nanoseconds("a 4930000000\nb 12400000\n")),
              ElementsAre("all (4.94 s, 100%)", "a (4.93 s, 99.75%)",
                          "b (12.4 ms, 0.25%)"));
}

TEST(Svg, ShowsTimesAsTheUserNamesThem) {
  EXPECT_THAT(tooltips(svg_of_nanoseconds("a 12400000\n",
                                          {.draw = {.count_name = "ns"}})),
              Contains("a (12,400,000 ns, 100.00%)"));
}

TEST(Svg, UsesAnnotationsForColourOnly) {
  const std::string picture = svg("a_[k] 1\n", {.draw = {.colors = "java"}});
  EXPECT_THAT(tooltips(picture).back(), "a (1 samples, 100.00%)");
  EXPECT_THAT(picture, HasSubstr(">a</text>"));
}

TEST(Svg, MultipliesCountsByTheFactorAndTakesSharesOfWhatItShows) {
  EXPECT_THAT(tooltips(svg("a 3\nb 283\n", {.draw = {.factor = 2.5}})),
              ElementsAre("all (715 samples, 100%)", "a (8 samples, 1.12%)",
                          "b (708 samples, 99.02%)"));
}

TEST(Svg, WithAFactorNoShareIsAboveOneHundredPercent) {
  EXPECT_THAT(tooltips(svg("a 3\n", {.draw = {.factor = 1.5}})),
              ElementsAre("all (5 samples, 100%)", "a (5 samples, 100.00%)"));
}

TEST(Svg, WithAFactorBelowOneTakesSharesOfWhatWasMeasured) {
  EXPECT_THAT(tooltips(svg("a 3\nb 283\n", {.draw = {.factor = 0.01}})),
              ElementsAre("all (3 samples, 100%)", "a (0 samples, 1.05%)",
                          "b (3 samples, 98.95%)"));
}

TEST(Svg, AsInfernoTakesSharesOfTheWholeThatIsNotRounded) {
  EXPECT_THAT(
      tooltips(svg("a 3\n", {.draw = {.factor = 1.5, .as_inferno = true}})),
      ElementsAre("all (5 samples, 100%)", "a (5 samples, 111.11%)"));
}

TEST(Svg, ShowsDecimals) {
  EXPECT_THAT(
      tooltips(svg("a 0.25\nb 1234.5\n")),
      ElementsAre("all (1,234.75 samples, 100%)", "a (0.25 samples, 0.02%)",
                  "b (1,234.5 samples, 99.98%)"));
}

TEST(Svg, OfADifferenceReportsTheChangeOfEveryFrame) {
  EXPECT_THAT(
      tooltips(svg("m;gone 4 0\nm;new 0 6\nm;same 4 4\n")),
      ElementsAre("all (10 samples, 100%)", "m (10 samples, 100.00%; 0.00%)",
                  "gone (0 samples, 0.00%; -50.00%)",
                  "new (6 samples, 60.00%; +60.00%)",
                  "same (4 samples, 40.00%; -10.00%)"));
}

TEST(Svg, OfAnAbsoluteDifferenceReportsTheChangeOfWeights) {
  const std::string picture =
      absolute_svg("m;gone 4 0\nm;new 0 6\nm;same 4 4\n");
  EXPECT_THAT(tooltips(picture),
              ElementsAre("all (10 samples, 100%)",
                          "m (10 samples, 100.00%; +2 samples)",
                          "gone (0 samples, 0.00%; -4 samples)",
                          "new (6 samples, 60.00%; +6 samples)",
                          "same (4 samples, 40.00%; 0 samples)"));
}

TEST(Svg, SaysHowTheSidesOfADifferenceAreCompared) {
  EXPECT_THAT(svg("m 4 6\n"),
              HasSubstr(">before: 4 samples · after: 6 samples · normalised: "
                        "shares of each side are compared<"));
  EXPECT_THAT(absolute_svg("m 4 6\n"),
              HasSubstr(">before: 4 samples · after: 6 samples · absolute: "
                        "weights are compared<"));
}

TEST(Svg, OfANormalisedDifferenceIsNotRounded) {
  // A third of each side, which is not a whole number of samples after.
  EXPECT_THAT(tooltips(svg("a 1 33\nb 1 33\nc 1 34\n")),
              Contains("c (34 samples, 34.00%; +0.67%)"));
}

TEST(Svg, NegatingADifferenceChangesColoursOnly) {
  EXPECT_THAT(tooltips(svg("a 4 0\nb 4 8\n", {.draw = {.negate = true}})),
              Contains("b (8 samples, 100.00%; +50.00%)"));
}

TEST(Svg, AsInfernoReportsTheChangeOfLeavesOnly) {
  EXPECT_THAT(
      tooltips(svg("m;gone 4 0\nm;new 0 6\nm;same 4 4\n",
                   {.draw = {.as_inferno = true}})),
      ElementsAre("all (10 samples, 100%)", "m (10 samples, 100.00%; 0.00%)",
                  "new (6 samples, 60.00%; +60.00%)",
                  "same (4 samples, 40.00%; 0.00%)"));
}

TEST(Svg, ShowsADifferenceAfterWhichNothingIsLeft) {
  EXPECT_THAT(
      tooltips(svg("m 4 0\n")),
      ElementsAre("all (0 samples, 100%)", "m (0 samples, 0.00%; -100.00%)"));
}

TEST(Svg, LeavesOutNarrowFramesAndReportsIt) {
  const std::string picture = svg("a 1\nb 99\n", {.draw = {.min_width = 2}});
  EXPECT_THAT(tooltips(picture),
              ElementsAre("all (100 samples, 100%)", "b (99 samples, 99.00%)"));
  EXPECT_THAT(picture, HasSubstr(">1 frame is too narrow"));
}

TEST(Svg, TakesTheLeastWidthInPixelsOnRequest) {
  EXPECT_EQ(
      tooltips(
          svg("a 1\nb 99\n",
              {.draw = {.width = 1020, .min_width = 11, .min_width_px = true}}))
          .size(),
      2);
  EXPECT_EQ(
      tooltips(
          svg("a 1\nb 99\n",
              {.draw = {.width = 1020, .min_width = 10, .min_width_px = true}}))
          .size(),
      3);
}

TEST(Svg, ReportsWhatWasLost) {
  EXPECT_THAT(svg("a 1\n<rubbish>\n"),
              HasSubstr("class=\"loss\">1 line could not be read (first: line "
                        "2: &lt;rubbish&gt;)</text>"));
}

TEST(Svg, FramesOfTheLargestWeightsHaveNoNegativeWidth) {
  EXPECT_THAT(svg("a 9223372036854775807\nb 9223372036854775807\n"),
              Not(HasSubstr("width=\"-")));
}

TEST(Svg, TellsAFrameWithoutNameFromTheRoot) {
  EXPECT_THAT(tooltips(svg("a; 1\n")).back(), " (1 samples, 100.00%)");
}

TEST(Svg, WithoutSamplesIsAnErrorAndAPictureOfIt) {
  std::ostringstream out;
  EXPECT_THROW(svg_output.write(Profile(), {}, out), Error);
  EXPECT_THAT(out.str(), HasSubstr("ERROR: there are no samples"));
}

TEST(Svg, EscapesNames) {
  const std::string picture =
      svg("</title><script>alert(1)</script>]]>&\"' 5\n");
  EXPECT_EQ(between(picture, "<script>", "</script>").size(), 1);
  EXPECT_THAT(picture, HasSubstr("&lt;/title&gt;&lt;script&gt;alert(1)&lt;/"
                                 "script&gt;]]&gt;&amp;&quot;&#39; (5"));
}

TEST(Svg, HasAScriptThatFitsIntoCdata) {
  const std::string script =
      between(svg("a 1\n"), "<![CDATA[", "]]></script>").front();
  EXPECT_THAT(script, HasSubstr("use strict"));
  EXPECT_THAT(script, Not(HasSubstr("]]>")));
  EXPECT_THAT(svg("a 1\n", {.draw = {.script = false}}),
              Not(HasSubstr("<script")));
}

TEST(Svg, CutsVeryLongNamesButKeepsThemApart) {
  const std::string name(60'000, 'x');
  const std::string picture = svg(name + "1 5\n" + name + "2 5\n");
  EXPECT_EQ(tooltips(picture).size(), 3);
  EXPECT_LT(picture.size(), 40'000);
}

TEST(Svg, NeverCutsACharacterInTwo) {
  std::string name;
  for (int i = 0; i < 3000; ++i) name += "ü";
  const std::string title = tooltips(svg(name + " 5\n")).back();
  EXPECT_THAT(title, Not(HasSubstr("\xef\xbf\xbd")));
  EXPECT_THAT(title, HasSubstr("ü…"));
}

TEST(Svg, LabelsAreCutToTheWidthOfTheirFrame) {
  const std::string_view input = "other 9\nstd::vector::push_back 1\n";
  const auto label = [&](int width, bool right) {
    const DrawOptions draw{.width = width, .truncate_text_right = right};
    return between(svg(input, {.draw = draw}), " dx=\"3\" y=\"12\">", "</text>")
        .back();
  };
  EXPECT_EQ(label(1480, false), "..vector::push_back");
  EXPECT_EQ(label(820, false), "push_back");
  EXPECT_EQ(label(650, false), "push_..");
  EXPECT_EQ(label(1480, true), "std::vector::push..");
}

TEST(Svg, NamesItselfAfterWhatItShows) {
  const auto title = [](const WriteOptions& options) {
    return between(svg("a 1\n", options), "<title>", "</title>").front();
  };
  EXPECT_EQ(title({}), "Flame Graph");
  EXPECT_EQ(title({.draw = {.inverted = true}}), "Icicle Graph");
  EXPECT_EQ(title({.fold = {.reversed = true}}), "Reversed Flame Graph");
  EXPECT_EQ(title({.fold = {.flamechart = true}}), "Flame Chart");
  EXPECT_EQ(title({.draw = {.title = "a<b"}}), "a&lt;b");
}

TEST(Svg, IsTitledByTheCommandThatWasRecorded) {
  const auto title = [](std::string_view command, const DrawOptions& draw) {
    Profile profile = read_text("folded", "a 1\n");
    profile.set_about(kAboutCommand, command);
    return between(written("svg", profile, {.draw = draw}), "<title>",
                   "</title>")
        .front();
  };
  EXPECT_EQ(title("wick record -o x -- ./a --fast", {}), "./a --fast");
  EXPECT_EQ(title("./a <b>", {}), "./a &lt;b&gt;");
  EXPECT_EQ(title("./a", {.inverted = true}), "Icicle Graph · ./a");
  EXPECT_EQ(title("./a", {.title = "mine"}), "mine");
  EXPECT_EQ(title(std::string(500, 'a'), {}), std::string(118, 'a') + "..");
}

TEST(Svg, KeepsNotesInASafeComment) {
  EXPECT_THAT(svg("a 1\n", {.draw = {.notes = "a --> b --"}}),
              HasSubstr("<!-- a - -&gt; b - - -->"));
}

TEST(Svg, RefusesColoursThatAreNone) {
  EXPECT_THROW(svg("a 1\n", {.draw = {.search_color = "red}</style>"}}),
               UsageError);
}

TEST(Svg, TakesAboutAHundredAndFiftyBytesAFrame) {
  std::string input;
  for (int i = 0; i < 2000; ++i)
    input += "main;function_" + std::to_string(i) + " 1\n";
  const std::string picture = svg(input);
  const std::size_t fixed = svg("main 1\n").size();
  EXPECT_EQ(tooltips(picture).size(), 2002);
  EXPECT_LT((picture.size() - fixed) / 2000, 150);
}

TEST(Svg, OfRandomProfilesShowsEveryFrameThatIsWideEnough) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(seed);
    const FlameGraph graph = fold(profile, {});
    const auto drawn = static_cast<std::size_t>(
        std::ranges::count_if(graph.total, [&](std::int64_t total) {
          return static_cast<double>(total) >=
                 0.0001 * static_cast<double>(graph.total[NodeId::kRoot]);
        }));
    EXPECT_EQ(tooltips(written("svg", profile)).size(), drawn);
  }
}

}  // namespace
}  // namespace wick

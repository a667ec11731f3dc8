// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "builders/read.h"
#include "format/json/json.h"
#include "format/registry.h"

namespace wick {
namespace {

Profile written_and_read(const Profile& profile) {
  return read_text("d3", written("d3", profile));
}

TEST(D3, TakesValuesAsInclusive) {
  EXPECT_EQ(folded(read_text("d3", R"({"name": "root", "value": 10,
    "children": [{"name": "a", "value": 9,
                  "children": [{"name": "b", "value": 4, "children": []}]},
                 {"name": "c", "value": 1}]})")),
            "a 5\na;b 4\nc 1\n");
}

TEST(D3, ReadsShortNamesAndKinds) {
  const Profile profile = read_text("d3", R"({"n": "all", "v": 3, "c": [
    {"n": "main", "l": "", "v": 3, "c": [
      {"n": "sys_read", "l": "kernel", "v": 2},
      {"n": "jitted", "l": "jit", "v": 1}]}]})");
  EXPECT_EQ(folded(profile, {.annotate_kernel = true, .annotate_jit = true}),
            "main;jitted_[j] 1\nmain;sys_read_[k] 2\n");
}

TEST(D3, KeepsARootThatIsAFunction) {
  EXPECT_EQ(folded(read_text("d3", R"({"name": "main", "value": 2})")),
            "main 2\n");
}

TEST(D3, ReadsAWholeReplyOfLepv) {
  const std::string text = R"({"flame": {"name": "root", "value": 2,
    "children": [{"name": "swapper", "value": 2, "children": []}]},
    "perf_script_output": [], "hierarchy": []})";
  EXPECT_EQ(detect(text)->name, "d3");
  EXPECT_EQ(folded(read_text("d3", text)), "swapper 2\n");
}

TEST(D3, ReadsTheScriptWhereLepvFailed) {
  EXPECT_EQ(folded(read_text("d3", R"json({"flame": {}, "perf_script_output": [
    "demo 12 [000] 1.5: 1 cycles:", "\t a1 leaf (/bin/demo)",
    "\t b2 main (/bin/demo)", ""], "hierarchy": []})json")),
            "demo;main;leaf 1\n");
}

TEST(D3, KeepsChildrenThatAreLargerThanTheirNode) {
  const Profile profile = read_text("d3", R"({"name": "root", "value": 3,
    "children": [{"name": "a", "value": 3,
                  "children": [{"name": "b", "value": 5}]}]})");
  EXPECT_EQ(folded(profile), "a;b 5\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 1u);
}

TEST(D3, AddsUpTheChildrenOfANodeWithoutAValue) {
  EXPECT_EQ(folded(read_text("d3", R"({"name": "root", "children": [
    {"name": "a", "children": [{"name": "b", "value": 5}]}]})")),
            "a;b 5\n");
}

TEST(D3, KeepsDecimals) {
  const Profile profile = read_text("folded", "a;b 0.25\na 1.5\n");
  EXPECT_EQ(folded(written_and_read(profile)), "a 1.5\na;b 0.25\n");
}

TEST(D3, ReadsWhatThereIsOfACutTree) {
  const Profile profile = read_text("d3", R"({"name": "root", "value": 10,
    "children": [{"name": "a", "value": 4, "children": []}, {"name": "b", "va)");
  EXPECT_EQ(folded(profile), " 6\na 4\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(D3, RefusesOtherJson) {
  EXPECT_THROW(read_text("d3", R"({"a": 1})"), Error);
  EXPECT_THROW(read_text("d3", "[1, 2]"), Error);
}

TEST(D3, WritesLepsShape) {
  Diagnostics diagnostics;
  const std::string text =
      written("d3", read_text("folded", "a;b 4\na 5\nc 1\n"));
  const JsonDocument document(text, diagnostics);
  const Json root = document.root();
  EXPECT_EQ(root["name"].text(), "root");
  EXPECT_EQ(root["value"].integer(), 10);
  std::vector<std::string> children;
  for (const Json child : root["children"].items()) {
    EXPECT_TRUE(child["children"].is_array());
    children.push_back(std::string(child["name"].text()) + " " +
                       std::to_string(*child["value"].integer()));
  }
  EXPECT_THAT(children, testing::ElementsAre("a 9", "c 1"));
}

TEST(D3, ReadsBackWhatItWrote) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Profile profile = random_profile(seed);
    EXPECT_EQ(folded(written_and_read(profile)), folded(profile));
  }
}

TEST(D3, KeepsBothSidesOfADifference) {
  const Profile profile = read_text("folded", "a;b 1 5\na;c 3 0\nd 0 2\n");
  EXPECT_EQ(folded(written_and_read(profile)), folded(profile));
}

TEST(D3, SurvivesHostileNames) {
  for (const std::string& name :
       {std::string("</script><script>alert(1)</script>"),
        std::string("\"},{\"name\":\""), std::string("a\0b", 3),
        std::string("\xe2\x80\xa8"), std::string(100'000, 'x')}) {
    Profile profile;
    profile.samples.push_back({.weight = 1,
                               .stack = profile.stacks.push(
                                   StackId::kRoot, profile.named_frame(name)),
                               .event = profile.event_id("samples")});
    const std::string text = written("d3", profile);
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("</script>")));
    EXPECT_EQ(folded(read_text("d3", text)), folded(profile));
  }
}

TEST(D3, ReadsDeepTrees) {
  Profile profile;
  StackId stack = StackId::kRoot;
  for (int i = 0; i < 10'000; ++i)
    stack = profile.stacks.push(stack, profile.named_frame("f"));
  profile.samples.push_back(
      {.weight = 1, .stack = stack, .event = profile.event_id("samples")});
  EXPECT_EQ(folded(written_and_read(profile)), folded(profile));
}

}  // namespace
}  // namespace wick

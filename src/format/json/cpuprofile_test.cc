// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"
#include "profile/kind_names.h"

namespace wick {
namespace {

// Three functions under V8's "(root)": main calls parse.
constexpr std::string_view kNodes = R"json("nodes": [
  {"id": 1, "callFrame": {"functionName": "(root)", "url": "",
    "lineNumber": -1}, "children": [2, 3], "hitCount": 0},
  {"id": 2, "callFrame": {"functionName": "main", "url": "file:///a.js",
    "lineNumber": 9}, "children": [4], "hitCount": 2},
  {"id": 3, "callFrame": {"functionName": "(idle)", "url": "",
    "lineNumber": -1}, "hitCount": 5},
  {"id": 4, "callFrame": {"functionName": "parse", "url": "file:///a.js",
    "lineNumber": 20}, "hitCount": 3}])json";

std::string profile_with(std::string_view rest) {
  return "{" + std::string(kNodes) + std::string(rest) + "}";
}

TEST(CpuProfile, ASampleLastsUntilTheNext) {
  const Profile profile = read_text(
      "cpuprofile", profile_with(R"(, "startTime": 1000, "endTime": 1100,
        "samples": [2, 4, 3], "timeDeltas": [10, 20, 30])"));
  EXPECT_EQ(folded(profile), "(idle) 40000\nmain 20000\nmain;parse 30000\n");
  EXPECT_TRUE(profile.diagnostics.empty());
  ASSERT_EQ(profile.samples.size(), 3u);
  EXPECT_EQ(profile.samples[0].time, 1'010'000u);
}

TEST(CpuProfile, CountsHitsWhereThereAreNoSamples) {
  EXPECT_EQ(folded(read_text("cpuprofile", profile_with(""))),
            "(idle) 5\nmain 2\nmain;parse 3\n");
}

TEST(CpuProfile, KeepsFileAndLine) {
  EXPECT_EQ(folded(read_text("cpuprofile", profile_with("")),
                   {.detail = NameDetail::kLine}),
            "(idle) 5\nmain:a.js:10 2\nmain:a.js:10;parse:a.js:21 3\n");
}

TEST(CpuProfile, KnowsWebAssemblyByItsUrlOrItsName) {
  const Profile profile = read_text("cpuprofile", R"({"nodes": [
    {"id": 1, "callFrame": {"functionName": "add", "url": "wasm://wasm/7f"},
     "hitCount": 1, "children": [2]},
    {"id": 2, "callFrame": {"functionName": "wasm-function[3]", "url": ""},
     "hitCount": 1, "children": [3]},
    {"id": 3, "callFrame": {"functionName": "main", "url": "file:///a.js"},
     "hitCount": 1}], "startTime": 0, "endTime": 1})");
  std::string kinds;
  for (const FrameId id : profile.frames.ids())
    kinds += fmt::format("{} {}\n", profile.function(id),
                         name_of(profile.frames[id].kind));
  EXPECT_EQ(kinds, "add wasm\nwasm-function[3] wasm\nmain user\n");
}

TEST(CpuProfile, NamesAnonymousFunctions) {
  EXPECT_EQ(folded(read_text("cpuprofile", R"({"nodes": [{"id": 1,
      "callFrame": {"functionName": "", "url": "x.js"}, "hitCount": 1}]})")),
            "(anonymous) 1\n");
}

TEST(CpuProfile, TakesTheCallerFromParentToo) {
  EXPECT_EQ(folded(read_text("cpuprofile", R"({"nodes": [
      {"id": 7, "callFrame": {"functionName": "b"}, "parent": 9, "hitCount": 1},
      {"id": 9, "callFrame": {"functionName": "a"}}]})")),
            "a;b 1\n");
}

TEST(CpuProfile, ReadsTheNestedFormOfOldChromes) {
  const Profile profile = read_text("", R"json({"head": {
      "functionName": "(root)", "id": 1, "children": [
        {"functionName": "f", "url": "x.js", "lineNumber": 3, "id": 2,
         "children": []}]},
      "startTime": 12.5, "endTime": 13.5, "samples": [2, 1, 2],
      "timestamps": [100, 130, 140]})json");
  EXPECT_EQ(folded(profile, {.detail = NameDetail::kLine}),
            " 10000\nf:x.js:3 30000\n");
}

TEST(CpuProfile, PutsSamplesInTheOrderOfTime) {
  const Profile profile =
      read_text("cpuprofile", profile_with(R"(, "startTime": 0, "endTime": 100,
        "samples": [2, 4, 3], "timeDeltas": [10, 30, -10])"));
  EXPECT_EQ(folded(profile), "(idle) 10000\nmain 20000\nmain;parse 60000\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTimeDisorder), 1u);
}

TEST(CpuProfile, KeepsTheWeightOfASampleOfNoNode) {
  const Profile profile =
      read_text("cpuprofile", profile_with(R"(, "startTime": 0, "endTime": 50,
        "samples": [77], "timeDeltas": [10])"));
  EXPECT_EQ(folded(profile), "[unknown] 40000\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 1u);
}

TEST(CpuProfile, EndsWhenNodesCallEachOtherInACircle) {
  const Profile profile = read_text("cpuprofile", R"({"nodes": [
      {"id": 1, "callFrame": {"functionName": "a"}, "parent": 2, "hitCount": 1},
      {"id": 2, "callFrame": {"functionName": "b"}, "parent": 1}]})");
  EXPECT_EQ(whole_weight(profile), 1);
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 1u);
}

TEST(CpuProfile, ReadsWhatACutFileHas) {
  const std::string whole = profile_with(R"(, "startTime": 0, "endTime": 100,
        "samples": [2, 4, 3], "timeDeltas": [10, 20, 30])");
  const Profile profile =
      read_text("cpuprofile", whole.substr(0, whole.find("30]}")));
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
  EXPECT_LE(whole_weight(profile), 90000);
}

TEST(CpuProfile, IsAnErrorWithoutNodes) {
  EXPECT_THROW(read_text("cpuprofile", "{\"samples\": []}"), Error);
}

TEST(CpuProfile, IsRecognised) {
  EXPECT_EQ(detect(profile_with(""))->name, "cpuprofile");
  EXPECT_EQ(detect(profile_with("").substr(0, 150))->name, "cpuprofile");
}

}  // namespace
}  // namespace wick

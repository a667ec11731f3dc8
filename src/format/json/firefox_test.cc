// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"
#include "io/compress.h"

namespace wick {
namespace {

Profile read_firefox(std::string_view text) {
  return read_text("firefox", text);
}

// main calls parse (inlined) and the kernel's read; version 70.
std::string processed(std::string_view samples) {
  return R"({"meta": {"preprocessedProfileVersion": 70, "interval": 1,
      "startTime": 0, "categories": [
        {"name": "Other", "color": "grey", "subcategories": ["Other"]},
        {"name": "Kernel", "color": "orange", "subcategories": ["Other"]}]},
    "libs": [{"name": "app", "path": "/bin/app", "codeId": "ab12"}],
    "shared": {
      "stringArray": ["main", "parse", "read", "app.cc"],
      "sources": {"filename": [3], "length": 1},
      "funcTable": {"name": [0, 1, 2], "resource": [0, 0, -1],
                    "source": [0, 0, null], "length": 3},
      "frameTable": {"func": [0, 1, 2], "address": [16, 16, -1],
                     "lib": [0, 0, -1], "inlineDepth": [0, 1, 0],
                     "category": [0, 0, 1], "line": [7, 9, null],
                     "length": 3},
      "stackTable": {"frame": [0, 1, 2], "prefixOffset": [0, 1, 2],
                     "length": 3}},
    "threads": [{"name": "worker", "pid": "12", "tid": 13, "samples": )" +
         std::string(samples) + "}]}";
}

TEST(Firefox, ReadsSharedTables) {
  const Profile profile = read_firefox(processed(R"({"stack": [0, 1, 2, 2],
      "timeDeltas": [1.5, 1, 1, 1], "weight": null, "weightType": "samples",
      "length": 4})"));
  EXPECT_EQ(
      folded(profile, {.detail = NameDetail::kLine,
                       .annotate_kernel = true,
                       .annotate_inlined = true}),
      "worker;main:app.cc:7 1\nworker;main:app.cc:7;parse:app.cc:9_[i] 1\n"
      "worker;main:app.cc:7;read_[k] 2\n");
  EXPECT_TRUE(profile.diagnostics.empty());
  EXPECT_EQ(profile.samples[1].time, 2'500'000u);
  EXPECT_EQ(profile.threads[profile.samples[0].thread].pid, 12);
  EXPECT_EQ(profile.threads[profile.samples[0].thread].tid, 13);
}

TEST(Firefox, TakesWeightsInMilliseconds) {
  const Profile profile = read_firefox(processed(R"({"stack": [0, 1],
      "time": [0, 2.25], "weight": [2.25, 1], "weightType": "tracing-ms",
      "length": 2})"));
  EXPECT_EQ(folded(profile),
            "worker;main 2250000\nworker;main;parse 1000000\n");
}

TEST(Firefox, KeepsCountsWithDecimals) {
  EXPECT_EQ(folded(read_firefox(processed(R"({"stack": [0, 1],
      "time": [0, 1], "weight": [0.5, 3], "weightType": "samples",
      "length": 2})"))),
            "worker;main 0.5\nworker;main;parse 3\n");
}

TEST(Firefox, NotesSamplesWithoutAStack) {
  const Profile profile = read_firefox(processed(R"({"stack": [null],
      "time": [0], "weight": null, "weightType": "samples", "length": 1})"));
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 1u);
  EXPECT_EQ(whole_weight(profile), 1);
}

TEST(Firefox, ReadsTablesOfThreads) {
  EXPECT_EQ(folded(read_firefox(R"({
    "meta": {"preprocessedProfileVersion": 40}, "libs": [],
    "threads": [{"name": "GeckoMain", "pid": 1, "tid": 1,
      "stringArray": ["f", "g", "x.js"],
      "funcTable": {"name": [0, 1], "fileName": [2, null],
                    "resource": [-1, -1]},
      "resourceTable": {"lib": []},
      "frameTable": {"func": [0, 1], "line": [3, null], "address": [-1, -1]},
      "stackTable": {"frame": [0, 1], "prefix": [null, 0]},
      "samples": {"stack": [1, 0, 1], "time": [1, 2, 3]}}]})")),
            "GeckoMain;f 1\nGeckoMain;f;g 2\n");
}

TEST(Firefox, ReadsTheRawFormatOfGecko) {
  const Profile profile = read_firefox(R"json({
    "meta": {"version": 33, "startTime": 1000, "stackwalk": 1},
    "threads": [{"name": "GeckoMain", "pid": 5, "tid": 6,
      "stringTable": ["(root)", "run (http://x/a.js:10:3)[2]", "paint"],
      "frameTable": {"schema": {"location": 0, "category": 6},
                     "data": [[0], [1, true, 0], [2]]},
      "stackTable": {"schema": {"prefix": 0, "frame": 1},
                     "data": [[null, 0], [0, 1], [1, 2]]},
      "samples": {"schema": {"stack": 0, "time": 1},
                  "data": [[2, 1.5], [1, 2.5, 0.1]]}}],
    "processes": [{"meta": {"startTime": 1500}, "threads": [
      {"name": "Web", "stringTable": ["f"],
       "frameTable": {"schema": {"location": 0}, "data": [[0]]},
       "stackTable": {"schema": {"prefix": 0, "frame": 1},
                      "data": [[null, 0]]},
       "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 1]]}}]}]
  })json");
  EXPECT_EQ(
      folded(profile, {.detail = NameDetail::kLine}),
      "GeckoMain;(root);run:a.js:10 1\nGeckoMain;(root);run:a.js:10;paint 1\n"
      "Web;f 1\n");
  EXPECT_EQ(profile.samples.back().time, 501'000'000u);
}

TEST(Firefox, IsReadThroughGzip) {
  const std::string text = processed(R"({"stack": [0], "time": [0]})");
  EXPECT_EQ(folded(read_text("", gzip(text))), "worker;main 1\n");
}

TEST(Firefox, NotesAStackBeforeItsCaller) {
  const Profile profile = read_firefox(R"({
    "meta": {"preprocessedProfileVersion": 70}, "shared": {
      "stringArray": ["f"], "funcTable": {"name": [0]},
      "frameTable": {"func": [0]},
      "stackTable": {"frame": [0, 0], "prefixOffset": [7, 1]}},
    "threads": [{"samples": {"stack": [1], "time": [0]}}]})");
  EXPECT_EQ(folded(profile), "f;f 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 1u);
}

TEST(Firefox, IsAnErrorWithoutThreads) {
  EXPECT_THROW(read_firefox("{\"meta\": {}}"), Error);
}

TEST(Firefox, IsRecognised) {
  const std::string text = processed("{}");
  EXPECT_EQ(detect(text)->name, "firefox");
  EXPECT_EQ(detect(text.substr(0, 60))->name, "firefox");
}

TEST(Firefox, GivesBackWhatWasWritten) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(seed);
    const Profile back = read_text("firefox", written("firefox", profile),
                                   {.keep_time = true, .keep_addresses = true});
    EXPECT_TRUE(back.diagnostics.empty());
    const FoldOptions detailed{.root = ThreadRoot::kCommPidTid,
                               .detail = NameDetail::kLine,
                               .annotate_kernel = true};
    EXPECT_EQ(folded(back, detailed), folded(profile, detailed));
    ASSERT_EQ(back.samples.size(), profile.samples.size());
    std::uint64_t times = 0, times_back = 0;
    for (std::size_t i = 0; i < back.samples.size(); ++i) {
      times += profile.samples[i].time;
      times_back += back.samples[i].time;
    }
    EXPECT_EQ(times_back, times);
    EXPECT_EQ(back.modules.size(), profile.modules.size());
  }
}

TEST(Firefox, GivesBackWeightsOfEveryUnit) {
  for (const char* unit : {"nanoseconds", "microseconds", "milliseconds",
                           "seconds", "bytes", "", "pages"}) {
    SCOPED_TRACE(unit);
    Profile profile;
    profile.events.push_back({.name = profile.strings.intern("x"),
                              .unit = profile.strings.intern(unit),
                              .decimals = 2});
    profile.samples.push_back({.weight = 12345,
                               .stack = profile.stacks.push(
                                   StackId::kRoot, profile.named_frame("f"))});
    const Profile back = read_firefox(written("firefox", profile));
    EXPECT_EQ(back.events.size(), 1u);
    EXPECT_EQ(folded(back), "f 123.45\n");
    EXPECT_FALSE(back.has_time);
  }
}

TEST(Firefox, GivesBackHostileNames) {
  Profile profile;
  profile.event_id("samples");
  StackId stack = StackId::kRoot;
  for (const std::string_view name :
       {"</script>", "\"\\", "a\nb", "\xe2\x80\xa8", "ünï"})
    stack = profile.stacks.push(stack, profile.named_frame(name));
  profile.samples.push_back({.weight = 1, .stack = stack});
  EXPECT_EQ(folded(read_firefox(written("firefox", profile))), folded(profile));
}

TEST(Firefox, GivesBackADifference) {
  const Profile profile = read_text("folded", "a;b 1 2\na 3 0\n");
  EXPECT_EQ(folded(read_firefox(written("firefox", profile))), folded(profile));
}

TEST(Firefox, KnowsLibrariesByTheirBreakpadId) {
  Profile profile;
  profile.module_id("/lib/libc.so.6",
                    "0123456789abcdef0123456789abcdef01234567");
  EXPECT_NE(written("firefox", profile)
                .find(R"("breakpadId":"67452301AB89EFCD0123456789ABCDEF0")"),
            std::string::npos);
}

}  // namespace
}  // namespace wick

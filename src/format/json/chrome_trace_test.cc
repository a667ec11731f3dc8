// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"

namespace wick {
namespace {

Profile read_trace(std::string_view text) {
  return read_text("chrome-trace", text);
}

TEST(ChromeTrace, GivesASliceTheTimeThatNoSliceInsideItTakes) {
  EXPECT_EQ(folded(read_trace(R"({"traceEvents": [
      {"ph": "X", "pid": 1, "tid": 2, "ts": 0, "dur": 100, "name": "a"},
      {"ph": "X", "pid": 1, "tid": 2, "ts": 10, "dur": 20.5, "name": "b"},
      {"ph": "X", "pid": 1, "tid": 2, "ts": 15, "dur": 5, "name": "c"}]})")),
            "a 79500\na;b 15500\na;b;c 5000\n");
}

TEST(ChromeTrace, TakesAnArrayAndEventsInAnyOrder) {
  EXPECT_EQ(folded(read_trace(R"([
      {"ph": "X", "pid": 1, "tid": 2, "ts": 15, "dur": 5, "name": "c"},
      {"ph": "X", "pid": 1, "tid": 2, "ts": 0, "dur": 100, "name": "a"}])")),
            "a 95000\na;c 5000\n");
}

TEST(ChromeTrace, KeepsThreadsApart) {
  EXPECT_EQ(folded(read_trace(R"([
      {"ph": "X", "pid": 1, "tid": 2, "ts": 0, "dur": 9, "name": "a"},
      {"ph": "X", "pid": 1, "tid": 3, "ts": 1, "dur": 2, "name": "b"}])")),
            "a 9000\nb 2000\n");
}

TEST(ChromeTrace, PutsTheNameOfTheThreadOrProcessAtTheRoot) {
  EXPECT_EQ(folded(read_trace(R"([
      {"ph": "X", "pid": 1, "tid": 2, "ts": 0, "dur": 1, "name": "a"},
      {"ph": "X", "pid": 1, "tid": 3, "ts": 0, "dur": 1, "name": "a"},
      {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name",
       "args": {"name": "io"}},
      {"ph": "M", "pid": 1, "name": "process_name",
       "args": {"name": "server"}}])")),
            "io;a 1000\nserver;a 1000\n");
}

TEST(ChromeTrace, PairsBeginsAndEnds) {
  EXPECT_EQ(folded(read_trace(R"([
      {"ph": "B", "pid": 1, "tid": 1, "ts": 0, "name": "a"},
      {"ph": "B", "pid": 1, "tid": 1, "ts": 2, "name": "b"},
      {"ph": "E", "pid": 1, "tid": 1, "ts": 5},
      {"ph": "E", "pid": 1, "tid": 1, "ts": 9, "name": "a"}])")),
            "a 6000\na;b 3000\n");
}

TEST(ChromeTrace, EndsWhatIsOpenWithTheThread) {
  const Profile profile = read_trace(R"([
      {"ph": "B", "pid": 1, "tid": 1, "ts": 0, "name": "a"},
      {"ph": "X", "pid": 1, "tid": 1, "ts": 2, "dur": 3, "name": "b"}])");
  EXPECT_EQ(folded(profile), "a 2000\na;b 3000\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(ChromeTrace, NotesAnEndWithoutABegin) {
  const Profile profile =
      read_trace(R"([{"ph": "E", "pid": 1, "tid": 1, "ts": 0}])");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 1u);
}

TEST(ChromeTrace, CutsASliceThatOutlastsTheOneAroundIt) {
  const Profile profile = read_trace(R"([
      {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 10, "name": "a"},
      {"ph": "X", "pid": 1, "tid": 1, "ts": 5, "dur": 9, "name": "b"}])");
  EXPECT_EQ(folded(profile), "a 5000\na;b 5000\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTimeDisorder), 1u);
  EXPECT_EQ(profile.diagnostics.weight(Problem::kTimeDisorder), 4000);
}

TEST(ChromeTrace, KeepsTheOrderOfTime) {
  const Profile profile = read_trace(R"([
      {"ph": "X", "pid": 1, "tid": 1, "ts": 1.5, "dur": 4, "name": "a"},
      {"ph": "X", "pid": 1, "tid": 1, "ts": 2, "dur": 1, "name": "b"}])");
  ASSERT_EQ(profile.samples.size(), 3u);
  EXPECT_EQ(profile.samples[0].time, 1500u);
  EXPECT_EQ(profile.samples[1].time, 2000u);
  EXPECT_EQ(profile.samples[2].time, 3000u);
  EXPECT_TRUE(profile.has_time);
}

TEST(ChromeTrace, ShiftsTimesBelowZero) {
  const Profile profile = read_trace(
      R"([{"ph": "X", "pid": 1, "tid": 1, "ts": -5, "dur": 2, "name": "a"},
          {"ph": "X", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "name": "a"}])");
  ASSERT_EQ(profile.samples.size(), 2u);
  EXPECT_EQ(profile.samples[0].time, 0u);
  EXPECT_EQ(profile.samples[1].time, 6000u);
}

TEST(ChromeTrace, TakesIdsAndTimesThatAreTexts) {
  EXPECT_EQ(folded(read_trace(R"([{"ph": "X", "pid": "1", "tid": "render",
      "ts": "1.5", "dur": "2", "name": "a"}])")),
            "render;a 2000\n");
}

TEST(ChromeTrace, AnArrayNeedsNoEnd) {
  const Profile profile = read_trace(
      "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1,\"name\":\"a\"},"
      "\n");
  EXPECT_EQ(folded(profile), "a 1000\n");
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(ChromeTrace, ReadsSamplesWithStackFrames) {
  EXPECT_EQ(folded(read_trace(R"({"traceEvents": [],
      "stackFrames": {"1": {"name": "main"}, "5": {"name": "f", "parent": 1}},
      "samples": [
        {"cpu": 0, "tid": 1, "ts": 1000.0, "name": "cycles", "sf": 5,
         "weight": 3},
        {"cpu": 0, "tid": 1, "ts": 2000.0, "name": "cycles", "sf": 1}]})")),
            "main 1\nmain;f 3\n");
}

TEST(ChromeTrace, ReadsSampleEvents) {
  EXPECT_EQ(folded(read_trace(R"({"traceEvents": [
      {"ph": "P", "pid": 1, "tid": 1, "ts": 3, "name": "sample", "sf": "7"}],
      "stackFrames": {"7": {"name": "f"}}})")),
            "f 1\n");
}

TEST(ChromeTrace, EndsWhenStackFramesGoInACircle) {
  const Profile profile = read_trace(R"({"traceEvents": [
      {"ph": "P", "pid": 1, "tid": 1, "ts": 3, "name": "s", "sf": 1}],
      "stackFrames": {"1": {"name": "f", "parent": 2},
                      "2": {"name": "g", "parent": 1}}})");
  EXPECT_EQ(whole_weight(profile), 1);
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 1u);
}

TEST(ChromeTrace, ReadsTheCpuProfileOfV8) {
  const Profile profile = read_trace(R"json({"traceEvents": [
      {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name",
       "args": {"name": "CrRendererMain"}},
      {"ph": "P", "pid": 1, "tid": 1, "ts": 10, "name": "Profile", "id": "0x1",
       "args": {"data": {"startTime": 10}}},
      {"ph": "P", "pid": 1, "tid": 9, "ts": 11, "name": "ProfileChunk",
       "id": "0x1", "args": {"data": {"cpuProfile": {"nodes": [
         {"id": 1, "callFrame": {"functionName": "(root)"}},
         {"id": 2, "parent": 1, "callFrame": {"functionName": "f"}}],
         "samples": [2, 2]}, "timeDeltas": [1, 5]}}},
      {"ph": "P", "pid": 1, "tid": 9, "ts": 30, "name": "ProfileChunk",
       "id": "0x1", "args": {"data": {"cpuProfile": {"nodes": [
         {"id": 3, "parent": 2, "callFrame": {"functionName": "g"}}],
         "samples": [3, 2]}, "timeDeltas": [4, 2]}}}]})json");
  EXPECT_EQ(folded(profile),
            "CrRendererMain;f 9000\nCrRendererMain;f;g 2000\n");
}

TEST(ChromeTrace, CountsEventsThatHaveNoStack) {
  const Profile profile =
      read_trace(R"([{"ph": "C", "pid": 1, "ts": 1, "name": "memory"}])");
  EXPECT_EQ(profile.diagnostics.count(Problem::kOtherEvent), 1u);
}

TEST(ChromeTrace, IsAnErrorWithoutEvents) {
  EXPECT_THROW(read_trace("{\"a\": 1}"), Error);
}

TEST(ChromeTrace, IsRecognised) {
  EXPECT_EQ(detect("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [")->name,
            "chrome-trace");
  EXPECT_EQ(detect(" [\n{\"name\": \"a\", \"ph\": \"X\", \"ts")->name,
            "chrome-trace");
}

TEST(ChromeTrace, GivesBackTheWeightsItWasWrittenWith) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(seed);
    const Profile back = read_trace(written("chrome-trace", profile));
    EXPECT_EQ(folded(back), folded(profile));
    EXPECT_TRUE(back.diagnostics.empty());
    EXPECT_EQ(back.events.size(), profile.events.size());
  }
}

TEST(ChromeTrace, GivesBackProfilesWithoutTimes) {
  const Profile profile =
      read_text("folded", "a;b 0.25\na 3\nc;<x>\"\\ 9000000000000\n");
  const Profile back = read_trace(written("chrome-trace", profile));
  EXPECT_EQ(folded(back), folded(profile));
  EXPECT_FALSE(back.has_time);
}

TEST(ChromeTrace, GivesBackADifference) {
  const Profile profile = read_text("folded", "a;b 1 2\na 3 0\n");
  EXPECT_EQ(folded(read_trace(written("chrome-trace", profile))),
            folded(profile));
}

TEST(ChromeTrace, WritesSamplesOfNanosecondsAsTheyAre) {
  const Profile profile = read_trace(R"([
      {"ph": "X", "pid": 1, "tid": 1, "ts": 1.5, "dur": 4, "name": "a"},
      {"ph": "X", "pid": 1, "tid": 1, "ts": 2, "dur": 1, "name": "b"}])");
  EXPECT_EQ(written("chrome-trace", profile),
            R"({"displayTimeUnit":"ns","otherData":{"wick":{"times":true,)"
            R"("self":false,"events":[{"key":"slices","name":"slices",)"
            R"("unit":"nanoseconds","role":"plain","decimals":0}]}},
"traceEvents":[
{"ph":"X","pid":1,"tid":1,"ts":1.500,"dur":4,"name":"a","cat":"user"},
{"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"name":"b","cat":"user"}
]}
)");
}

TEST(ChromeTrace, WritesConsecutiveSamplesAsOneSlice) {
  Profile profile;
  profile.has_time = true;
  profile.event_id("cycles");
  const StackId a =
      profile.stacks.push(StackId::kRoot, profile.named_frame("a"));
  const StackId b = profile.stacks.push(a, profile.named_frame("b"));
  // One each millisecond, and then a pause.
  for (const std::uint64_t time : {1, 2, 3, 4, 50})
    profile.samples.push_back(
        {.time = time * 1'000'000, .weight = 7, .stack = time == 3 ? b : a});
  const std::string text = written("chrome-trace", profile);
  EXPECT_NE(text.find(R"("ts":1000,"dur":4000,"name":"a","cat":"user",)"
                      R"("args":{"self":{"cycles":21}})"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("ts":3000,"dur":1000,"name":"b")"), std::string::npos);
  EXPECT_NE(text.find(R"("ts":50000,"dur":1000,"name":"a")"),
            std::string::npos);
}

TEST(ChromeTrace, WritesStretchesOfATraceAsLongAsTheyLasted) {
  Profile profile;
  profile.has_time = true;
  const EventId cycles = profile.event_id("cycles", "cycles");
  profile.events[cycles].time = TimeKind::kTraceClock;
  const EventId calls = profile.event_id("calls", "calls");
  const StackId a =
      profile.stacks.push(StackId::kRoot, profile.named_frame("a"));
  const StackId b = profile.stacks.push(a, profile.named_frame("b"));
  profile.samples = {
      {.time = 1000, .weight = 10, .stack = a, .event = cycles},
      {.time = 1010, .weight = 3000, .stack = b, .event = cycles},
      {.time = 4010, .weight = 1000, .stack = a, .event = cycles},
      {.time = 5010, .weight = 3, .stack = b, .event = calls}};
  EXPECT_EQ(written("chrome-trace", profile),
            R"({"displayTimeUnit":"ns","otherData":{"wick":{"times":true,)"
            R"("self":true,"events":[{"key":"cycles","name":"cycles",)"
            R"("unit":"cycles","role":"plain","decimals":0}]}},
"traceEvents":[
{"ph":"X","pid":0,"tid":0,"ts":1,"dur":4.010,"name":"a","cat":"user",)"
            R"("args":{"self":{"cycles":1010}}},
{"ph":"X","pid":0,"tid":0,"ts":1.010,"dur":3,"name":"b","cat":"user",)"
            R"("args":{"self":{"cycles":3000}}}
]}
)");
}

TEST(ChromeTrace, HartsThatShareALaneDoNotPushEachOtherAside) {
  Profile profile;
  profile.has_time = true;
  profile.event_id("cycles", "cycles");
  profile.events[EventId{0}].time = TimeKind::kTraceClock;
  const StackId a =
      profile.stacks.push(StackId::kRoot, profile.named_frame("a"));
  const StackId b =
      profile.stacks.push(StackId::kRoot, profile.named_frame("b"));
  profile.samples = {{.time = 1000, .weight = 5000, .stack = a, .cpu = 0},
                     {.time = 3000, .weight = 2000, .stack = b, .cpu = 1},
                     {.time = 6000, .weight = 1000, .stack = a, .cpu = 0}};
  const std::string text = written("chrome-trace", profile);
  EXPECT_NE(text.find(R"("ts":1,"dur":2,"name":"a")"), std::string::npos)
      << text;
  EXPECT_NE(text.find(R"("ts":3,"dur":2,"name":"b")"), std::string::npos);
  EXPECT_NE(text.find(R"("ts":6,"dur":1,"name":"a")"), std::string::npos);
  EXPECT_EQ(folded(read_trace(text)), folded(profile));
}

TEST(ChromeTrace, BringsBackASampleWithoutAStack) {
  Profile profile;
  profile.event_id("cycles");
  profile.samples.push_back({.weight = 7});
  const Profile back = read_trace(written("chrome-trace", profile));
  EXPECT_EQ(back.samples.at(0).stack, StackId::kRoot);
  EXPECT_EQ(back.samples.at(0).weight, 7);
}

TEST(ChromeTrace, GivesThreadsOfOneIdNumbersOfTheirOwn) {
  Profile profile;
  profile.event_id("samples");
  const StackId stack =
      profile.stacks.push(StackId::kRoot, profile.named_frame("f"));
  for (const char* comm : {"sh", "make"})
    profile.samples.push_back(
        {.weight = 1,
         .stack = stack,
         .thread = profile.thread_id({7, 7, profile.strings.intern(comm)})});
  EXPECT_EQ(folded(read_trace(written("chrome-trace", profile))),
            "make;f 1\nsh;f 1\n");
}

}  // namespace
}  // namespace wick

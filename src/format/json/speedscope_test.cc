// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "builders/read.h"
#include "format/json/json.h"
#include "format/registry.h"

namespace wick {
namespace {

std::string document(std::string_view profiles) {
  return R"({"$schema": "https://www.speedscope.app/file-format-schema.json",
    "shared": {"frames": [{"name": "main", "file": "a.py", "line": 3, "col": 1},
                          {"name": "work"}, {"name": "idle"}]},
    "profiles": [)" +
         std::string(profiles) + "]}";
}

constexpr std::string_view kSampled = R"({"type": "sampled", "name": "one",
  "unit": "none", "startValue": 0, "endValue": 6,
  "samples": [[0, 1], [0], [0, 1]], "weights": [1, 2, 3]})";

TEST(Speedscope, ReadsSampledProfiles) {
  const std::string text = document(kSampled);
  EXPECT_EQ(detect(text)->name, "speedscope");
  EXPECT_EQ(detect(text.substr(0, 200))->name, "speedscope");
  const Profile profile = read_text("speedscope", text);
  EXPECT_EQ(folded(profile), "main 2\nmain;work 4\n");
  EXPECT_FALSE(profile.has_time);
  const Frame& frame =
      profile.frames[profile.stacks.frame(profile.samples[1].stack)];
  EXPECT_EQ(profile.strings[frame.file], "a.py");
  EXPECT_EQ(frame.line, 3u);
}

TEST(Speedscope, GivesSamplesInAUnitOfTimeTheirTimes) {
  const Profile profile =
      read_text("speedscope", document(R"({"type": "sampled", "name": "one",
        "unit": "milliseconds", "startValue": 10, "endValue": 13.75,
        "samples": [[0], [0, 1]], "weights": [1.25, 2.5]})"));
  EXPECT_TRUE(profile.has_time);
  EXPECT_EQ(profile.samples[0].time, 10'000'000u);
  EXPECT_EQ(profile.samples[1].time, 11'250'000u);
  EXPECT_EQ(folded(profile), "main 1.25\nmain;work 2.5\n");
}

TEST(Speedscope, GivesTimeToTheInnermostOpenFrame) {
  const Profile profile =
      read_text("speedscope", document(R"({"type": "evented", "name": "one",
        "unit": "microseconds", "startValue": 0, "endValue": 20, "events": [
          {"type": "O", "frame": 0, "at": 1}, {"type": "O", "frame": 1, "at": 3},
          {"type": "C", "frame": 1, "at": 7.5}, {"type": "C", "frame": 0, "at": 8},
          {"type": "O", "frame": 2, "at": 15},
          {"type": "C", "frame": 2, "at": 20}]})"));
  EXPECT_EQ(folded(profile), "idle 5\nmain 2.5\nmain;work 4.5\n");
  EXPECT_EQ(profile.samples[1].time, 3000u);
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Speedscope, NotesFramesThatAreClosedWrongly) {
  const Profile profile =
      read_text("speedscope", document(R"({"type": "evented", "name": "one",
        "unit": "none", "startValue": 0, "endValue": 9, "events": [
          {"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 2},
          {"type": "C", "frame": 2, "at": 3}, {"type": "C", "frame": 0, "at": 5},
          {"type": "O", "frame": 1, "at": 4}]})"));
  EXPECT_EQ(folded(profile), "main 2\nmain;work 3\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 3u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kTimeDisorder), 1u);
}

TEST(Speedscope, TakesSeveralProfilesForThreads) {
  EXPECT_EQ(folded(read_text(
                "speedscope",
                document(R"({"type": "sampled", "name": "T1", "unit": "none",
                  "samples": [[0]], "weights": [1]},
                 {"type": "sampled", "name": "T2", "unit": "none",
                  "samples": [[0]], "weights": [2]})"))),
            "T1;main 1\nT2;main 2\n");
}

TEST(Speedscope, CountsFramesAndWeightsThatAreMissing) {
  const Profile profile =
      read_text("speedscope", document(R"({"type": "sampled", "name": "x",
        "unit": "none", "samples": [[0, 99], [0], [1]], "weights": [1, -2]})"));
  EXPECT_EQ(folded(profile), "main 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 2u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kNegativeWeight), 1u);
}

TEST(Speedscope, ReadsWhatThereIsOfACutFile) {
  const std::string text = document(kSampled);
  const Profile profile =
      read_text("speedscope", text.substr(0, text.find("3]}")));
  EXPECT_EQ(folded(profile), "main 2\nmain;work 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
}

TEST(Speedscope, RefusesOtherJson) {
  EXPECT_THROW(read_text("speedscope", R"({"name": "root", "value": 1})"),
               Error);
}

// Weights in their order, by event, thread and what speedscope has of frames.
std::vector<std::string> content(const Profile& profile) {
  std::map<std::string, std::string> rows;
  std::vector<FrameId> frames;
  for (const Sample& sample : profile.samples) {
    const Event& event = profile.events[sample.event];
    const Thread& thread = profile.threads[sample.thread];
    std::ostringstream key, row;
    key << profile.strings[event.name] << '/' << profile.strings[event.unit]
        << ' ' << static_cast<int>(event.role) << ' '
        << profile.strings[thread.comm] << ' ' << thread.pid << ' '
        << thread.tid;
    profile.stacks.frames_of(sample.stack, frames);
    for (const FrameId id : frames) {
      const Frame& frame = profile.frames[id];
      row << '|' << profile.strings[frame.function] << ','
          << profile.strings[frame.file] << ',' << frame.line << ','
          << static_cast<int>(frame.kind);
    }
    row << ' ' << sample.weight << '\n';
    rows[key.str()] += row.str();
  }
  std::vector<std::string> result;
  for (const auto& [key, row] : rows) result.push_back(key + ": " + row);
  return result;
}

TEST(Speedscope, ReadsBackWhatItWrote) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Profile profile = random_profile(seed);
    const Profile again =
        read_text("speedscope", written("speedscope", profile));
    EXPECT_EQ(content(again), content(profile));
    EXPECT_EQ(again.strings[again.events[EventId{0}].name],
              profile.strings[profile.events[EventId{0}].name]);
  }
}

TEST(Speedscope, KeepsDecimalsAndDifferences) {
  for (const std::string_view text : {"a;b 0.25\na;c 3\n", "a 1 5\nb 0 2\n"}) {
    const Profile profile = read_text("folded", text);
    EXPECT_EQ(folded(read_text("speedscope", written("speedscope", profile))),
              folded(profile));
  }
}

TEST(Speedscope, WritesWhatTheSchemaAsksFor) {
  Diagnostics diagnostics;
  const JsonDocument json(written("speedscope", random_profile(3)),
                          diagnostics);
  EXPECT_EQ(json.root()["$schema"].text(),
            "https://www.speedscope.app/file-format-schema.json");
  for (const Json profile : json.root()["profiles"].items()) {
    EXPECT_EQ(profile["type"].text(), "sampled");
    EXPECT_EQ(profile["unit"].text(), "none");
    EXPECT_TRUE(profile["name"].is_string());
    EXPECT_EQ(profile["startValue"].integer(), 0);
    std::int64_t sum = 0;
    for (const Json weight : profile["weights"].items())
      sum += weight.integer().value();
    EXPECT_EQ(profile["endValue"].integer(), sum);
  }
}

TEST(Speedscope, SurvivesHostileNames) {
  for (const std::string& name :
       {std::string("</script>"), std::string("\"],["), std::string("a\0b", 3),
        std::string(100'000, 'x')}) {
    Profile profile;
    profile.samples.push_back({.weight = 1,
                               .stack = profile.stacks.push(
                                   StackId::kRoot, profile.named_frame(name)),
                               .event = profile.event_id("samples")});
    const std::string text = written("speedscope", profile);
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("</script>")));
    EXPECT_EQ(folded(read_text("speedscope", text)), folded(profile));
  }
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Recordings that wick 0.1.0 wrote stay readable: tests/recordings-0.1.0 has
// one of each kind, of a program that spins in `spin`, called by `outer`, and
// sleeps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "builders/stored_inputs.h"
#include "io/input_file.h"
#include "perf/file/data_file.h"
#include "perf/session/session.h"
#include "profile/profile.h"

namespace wick {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;
using testing::Pair;

struct Recording {
  PerfHeader::ClockData clock;
  RecordingFacts facts;
  bool compressed = false;
  std::string command, host;
  Diagnostics diagnostics;
  struct Sum {
    std::int64_t samples = 0, weight = 0;
  };
  std::map<std::string, Sum> events;
  std::size_t deepest = 0;
};

Recording read(const std::string& name) {
  InputFile input = InputFile::open(stored_file("recordings-0.1.0/" + name));
  PerfData data(input);
  DebugFiles files({});
  Images images(files);
  SessionResult session = read_session(data, images, {});
  sort_samples(session.profile);
  const Profile& profile = session.profile;
  EXPECT_EQ(check(profile), "");
  Recording result;
  result.clock = data.header().clock_data.value_or(PerfHeader::ClockData{});
  result.facts = data.header().facts;
  result.compressed = data.header().compressed;
  for (const std::string& word : data.header().command_line)
    result.command += (result.command.empty() ? "" : " ") + word;
  result.host = data.header().hostname;
  result.diagnostics = profile.diagnostics;
  std::vector<FrameId> frames;
  for (const Sample& sample : profile.samples) {
    Recording::Sum& sum = result.events[std::string(
        profile.strings[profile.events[sample.event].name])];
    ++sum.samples;
    sum.weight += sample.weight;
    profile.stacks.frames_of(sample.stack, frames);
    result.deepest = std::max(result.deepest, frames.size());
  }
  return result;
}

TEST(OldRecordings, APlainOneHasItsSamplesAndStacks) {
  const Recording recording = read("plain.data");
  EXPECT_THAT(recording.events,
              ElementsAre(Pair("cpu-clock", FieldsAre(15, 60'000'000))));
  EXPECT_EQ(recording.command,
            "wick record -F 250 -e cpu-clock -o plain.data -- ./prog");
  EXPECT_EQ(recording.host, "example");
  EXPECT_EQ(recording.clock.clockid, 1u);
  EXPECT_GT(recording.deepest, 5u);
  EXPECT_TRUE(recording.facts.is_finished);
  EXPECT_TRUE(recording.diagnostics.empty());
}

TEST(OldRecordings, ACompressedOneHasItsSamples) {
  const Recording recording = read("zstd.data");
  EXPECT_TRUE(recording.compressed);
  EXPECT_THAT(recording.events,
              ElementsAre(Pair("cpu-clock", FieldsAre(14, 56'000'000))));
  EXPECT_TRUE(recording.diagnostics.empty());
}

TEST(OldRecordings, TimeOffTheCpuAddsUpFromTheEndOfTheDelay) {
  const Recording recording = read("off-cpu.data");
  EXPECT_TRUE(recording.facts.begin_time);
  EXPECT_THAT(recording.events,
              ElementsAre(Pair("cpu-clock", FieldsAre(14, 56'000'000)),
                          Pair("offcpu-time", FieldsAre(23, 214'943'133)),
                          Pair("sched:sched_switch", FieldsAre(23, 23)),
                          Pair("wall-time", FieldsAre(30, 271'948'394))));
  EXPECT_TRUE(recording.diagnostics.empty());
}

TEST(OldRecordings, WhatTheRecorderCouldNotUnwindIsCounted) {
  const Recording recording = read("short-stacks.data");
  EXPECT_THAT(recording.events,
              ElementsAre(Pair("cpu-clock", FieldsAre(14, 56'000'000))));
  EXPECT_THAT(recording.diagnostics.entries(),
              ElementsAre(FieldsAre(Problem::kStackTooShort, 14, 0, "", 0, 0)));
}

TEST(OldRecordings, WhatDidNotFitOnTheDiskIsLost) {
  const Recording recording = read("full-disk.data");
  EXPECT_TRUE(recording.events.empty());
  EXPECT_THAT(recording.diagnostics.entries(),
              ElementsAre(FieldsAre(Problem::kLostSamples, 383, 0, "", 0, 0)));
}

TEST(OldRecordings, OneWhoseRecorderWasKilledIsReadAsFarAsItGoes) {
  const Recording recording = read("killed.data");
  EXPECT_FALSE(recording.facts.is_finished);
  EXPECT_THAT(recording.events,
              ElementsAre(Pair("cpu-clock", FieldsAre(19, 190'000'000))));
  EXPECT_THAT(recording.diagnostics.entries(),
              ElementsAre(FieldsAre(Problem::kTruncated, 1, 0, "", 0, 0)));
}

}  // namespace
}  // namespace wick

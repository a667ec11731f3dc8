// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "builders/read.h"
#include "format/registry.h"
#include "io/compress.h"
#include "tests/builders/pprof.pb.h"

namespace wick {
namespace {

// The bytes of a profile given in protobuf's text form.
std::string encoded(const std::string& text) {
  pprof_test::Profile message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message.SerializeAsString();
}

// What wick writes, as the generated code understands it.
pprof_test::Profile decoded(const Profile& profile) {
  pprof_test::Profile message;
  EXPECT_TRUE(
      message.ParseFromString(decompress(written("pprof", profile), 1 << 30)));
  return message;
}

Profile written_and_read(const Profile& profile,
                         const ReadOptions& options = {}) {
  return read_text("pprof", written("pprof", profile), options);
}

// main calls work, in which a helper is inlined.
const char* const kTables = R"(
  sample_type { type: 1 unit: 2 }
  sample_type { type: 3 unit: 4 }
  mapping { id: 1 memory_start: 0x400000 memory_limit: 0x500000
            file_offset: 0x1000 filename: 8 build_id: 9 }
  location { id: 1 mapping_id: 1 address: 0x400010
             line { function_id: 1 line: 12 } }
  location { id: 2 mapping_id: 1 address: 0x400020
             line { function_id: 3 line: 7 } line { function_id: 2 line: 30 } }
  function { id: 1 name: 5 filename: 10 }
  function { id: 2 name: 6 filename: 10 }
  function { id: 3 name: 7 filename: 10 }
  string_table: "" string_table: "samples" string_table: "count"
  string_table: "cpu" string_table: "nanoseconds"
  string_table: "main" string_table: "work" string_table: "helper"
  string_table: "/bin/app" string_table: "abcd" string_table: "app.cc"
  string_table: "comm" string_table: "worker 1" string_table: "pid"
  string_table: "tid" string_table: "handler" string_table: "end_timestamp_ns"
)";

TEST(Pprof, ReadsLocationsLeafFirstAndInlinedFramesInnermostFirst) {
  const Profile profile = read_text("pprof", encoded(kTables + std::string(R"(
    sample { location_id: 2 location_id: 1 value: 3 value: 300 })")));
  EXPECT_EQ(folded(profile, {.annotate_inlined = true}),
            "main;work;helper_[i] 303\n");
}

TEST(Pprof, ShowsTheLastTypeUnlessADefaultIsNamed) {
  const std::string text = kTables + std::string(R"(
    sample { location_id: 1 value: 3 value: 300 })");
  const Profile last = read_text("pprof", encoded(text));
  EXPECT_EQ(last.strings[last.events[EventId{0}].name], "cpu");
  EXPECT_EQ(last.strings[last.events[EventId{0}].unit], "nanoseconds");
  EXPECT_EQ(total_weight(last, EventId{0}), 300);
  const Profile named =
      read_text("pprof", encoded(text + "default_sample_type: 1"));
  EXPECT_EQ(named.strings[named.events[EventId{0}].name], "samples");
  EXPECT_EQ(named.strings[named.events[EventId{0}].unit], "");
  EXPECT_EQ(total_weight(named, EventId{0}), 3);
}

TEST(Pprof, ReadsHowManySamplesAValueIsOf) {
  const Profile profile = read_text("pprof", encoded(kTables + std::string(R"(
    sample { location_id: 1 value: 3 value: 300 }
    sample { location_id: 2 value: 1 value: 100 })")));
  ASSERT_EQ(profile.samples.size(), 4u);  // samples are an event here
  for (std::size_t i = 0; i < profile.samples.size(); ++i)
    if (profile.samples[i].weight == 300)
      EXPECT_EQ(samples_in_row(profile, i), 3u);
}

TEST(Pprof, KeepsTheNumberOfSamplesBesidesTheirSum) {
  const Profile timed = read_text("perf-script",
                                  "a 1 1.0: 10 cycles:\n\t0 f (m)\n\n"
                                  "a 1 1.1: 20 cycles:\n\t0 f (m)\n\n"
                                  "a 1 1.2: 40 cycles:\n\t0 g (m)\n\n");
  const pprof_test::Profile message = decoded(timed);
  ASSERT_EQ(message.sample_type_size(), 2);
  EXPECT_EQ(
      message.string_table(static_cast<int>(message.default_sample_type())),
      "cycles");
  for (const bool keep_time : {false, true}) {
    const Profile read = written_and_read(timed, {.keep_time = keep_time});
    EXPECT_EQ(read.events.size(), 1u);
    ASSERT_EQ(read.samples.size(), 2u);
    EXPECT_EQ(samples_in_row(read, 0), 2u);
    EXPECT_EQ(samples_in_row(read, 1), 1u);
    // And again.
    EXPECT_EQ(samples_in_row(written_and_read(read, {}), 0), 2u);
  }
}

TEST(Pprof, HasNoNumberOfSamplesWhereWeightsAreThat) {
  EXPECT_EQ(decoded(read_text("folded", "main;f 3\n")).sample_type_size(), 1);
}

TEST(Pprof, KeepsFilesLinesModulesAndAddresses) {
  const Profile profile = read_text("pprof", encoded(kTables + std::string(R"(
        sample { location_id: 2 value: 1 })")),
                                    {.keep_addresses = true});
  const Sample& sample = profile.samples.at(0);
  const Frame& helper = profile.frames[profile.stacks.frame(sample.stack)];
  EXPECT_EQ(profile.strings[helper.file], "app.cc");
  EXPECT_EQ(helper.line, 7u);
  EXPECT_EQ(helper.kind, FrameKind::kInlined);
  EXPECT_EQ(helper.address, 0x1020u);
  EXPECT_EQ(profile.strings[profile.modules[helper.module].path], "/bin/app");
  EXPECT_EQ(profile.strings[profile.modules[helper.module].build_id], "abcd");
}

TEST(Pprof, TakesThreadsAndTimesFromLabels) {
  const Profile profile = read_text("pprof", encoded(kTables + std::string(R"(
    sample { location_id: 1 value: 1 label { key: 11 str: 12 }
             label { key: 13 num: 40 } label { key: 14 num: 41 }
             label { key: 15 str: 5 } label { key: 16 num: 2000 } }
    sample { location_id: 1 value: 2 label { key: 16 num: 1000 } })")));
  EXPECT_TRUE(profile.has_time);
  ASSERT_EQ(profile.samples.size(), 2u);
  EXPECT_EQ(profile.samples[0].time, 1000u);
  const Thread& thread = profile.threads[profile.samples[1].thread];
  EXPECT_EQ(profile.strings[thread.comm], "worker 1");
  EXPECT_EQ(thread.pid, 40);
  EXPECT_EQ(thread.tid, 41);
  EXPECT_EQ(folded(profile, {.root = ThreadRoot::kCommPidTid}),
            "main 2\nworker 1-40/41;main 1\n");
}

TEST(Pprof, ReadsIdsThatDoNotCountFromOne) {
  const Profile profile = read_text("pprof", encoded(R"(
    sample_type { type: 1 }
    sample { location_id: 18446744073709551615 location_id: 7 value: 5 }
    location { id: 7 line { function_id: 900 } }
    location { id: 18446744073709551615 line { function_id: 3 } }
    function { id: 900 name: 2 } function { id: 3 name: 3 }
    string_table: "" string_table: "samples" string_table: "main"
    string_table: "leaf")"));
  EXPECT_EQ(folded(profile), "main;leaf 5\n");
}

TEST(Pprof, CountsWhatItCannotUse) {
  const Profile profile = read_text("pprof", encoded(kTables + std::string(R"(
    sample { location_id: 99 location_id: 1 value: 1 }
    sample { location_id: 1 value: 0 value: 0 }
    sample { location_id: 1 value: -4 }
    sample { location_id: 1 value: 1 value: 2 value: 3 }
    sample { value: 8 })")));
  EXPECT_EQ(profile.diagnostics.count(Problem::kBadRecord), 2u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kZeroWeight), 1u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kNegativeWeight), 1u);
  EXPECT_EQ(profile.diagnostics.count(Problem::kNoStack), 1u);
}

TEST(Pprof, SurvivesALocationThatIsInlinedWithoutEnd) {
  std::string text = kTables;
  text += "location { id: 3 ";
  for (int i = 0; i < 5000; ++i) text += "line { function_id: 1 } ";
  text += "} sample { location_id: 3 value: 1 }";
  const Profile profile = read_text("pprof", encoded(text));
  EXPECT_GT(profile.diagnostics.count(Problem::kDeepStack), 0u);
  EXPECT_EQ(whole_weight(profile), 1);
}

TEST(Pprof, IsRecognisedByItsFields) {
  const std::string bytes = encoded(kTables + std::string(R"(
    sample { location_id: 1 value: 3 value: 300 })"));
  EXPECT_EQ(detect(bytes)->name, "pprof");
  EXPECT_EQ(detect(bytes.substr(0, bytes.size() / 2))->name, "pprof");
  EXPECT_EQ(
      detect(decompress(written("pprof", random_profile(1)), 1 << 20))->name,
      "pprof");
  const InputFormat& format = input_format("pprof");
  for (const std::string_view text :
       {"main;a 1\n", "\n\nmain;a 1\n", "20 main\n", "2", "\n", "{\"a\":1}",
        "HPHP", "# comment\n", "\x0a\x02hi", "* * *\n"})
    EXPECT_FALSE(format.sniff(text)) << text;
}

TEST(Pprof, RefusesWhatHasNoFieldOfIt) {
  EXPECT_THROW(read_text("pprof", "hello world"), Error);
}

TEST(Pprof, ReportsThatItIsCutOff) {
  const std::string bytes = encoded(kTables + std::string(R"(
    sample { location_id: 1 value: 3 value: 300 })"));
  const Profile profile = read_text("pprof", bytes.substr(0, bytes.size() - 3));
  EXPECT_EQ(profile.diagnostics.count(Problem::kTruncated), 1u);
  EXPECT_EQ(whole_weight(profile), 303);
}

// Weights by thread and by the frames with everything that pprof carries.
std::map<std::string, std::int64_t> content(const Profile& profile) {
  std::map<std::string, std::int64_t> result;
  std::vector<FrameId> frames;
  for (const Sample& sample : profile.samples) {
    const Event& event = profile.events[sample.event];
    const Thread& thread = profile.threads[sample.thread];
    std::ostringstream key;
    key << profile.strings[event.name] << '/' << profile.strings[event.unit]
        << '/' << int{event.decimals} << ' ' << profile.strings[thread.comm]
        << ' ' << thread.pid << ' ' << thread.tid;
    profile.stacks.frames_of(sample.stack, frames);
    for (const FrameId id : frames) {
      const Frame& frame = profile.frames[id];
      const Module& module = profile.modules[frame.module];
      key << '|' << profile.strings[frame.function] << ','
          << profile.strings[frame.file] << ',' << frame.line << ','
          << frame.address << ',' << profile.strings[module.path] << ','
          << profile.strings[module.build_id] << ','
          << static_cast<int>(frame.kind);
    }
    result[key.str()] += sample.weight;
  }
  return result;
}

TEST(Pprof, ReadsBackWhatItWrote) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const Profile profile = random_profile(seed);
    EXPECT_EQ(content(written_and_read(profile, {.keep_addresses = true})),
              content(profile));
  }
}

TEST(Pprof, WritesOneSampleForAStackOfAThread) {
  Profile profile;
  const EventId cycles = profile.event_id("cycles"),
                faults = profile.event_id("faults");
  const StackId stack =
      profile.stacks.push(StackId::kRoot, profile.named_frame("main"));
  for (int i = 0; i < 3; ++i) {
    profile.samples.push_back({.weight = 10, .stack = stack, .event = cycles});
    profile.samples.push_back({.weight = 1, .stack = stack, .event = faults});
  }
  const pprof_test::Profile message = decoded(profile);
  ASSERT_EQ(message.sample_size(), 1);
  EXPECT_THAT(message.sample(0).value(), testing::ElementsAre(30, 3));
}

TEST(Pprof, PutsInlinedFramesIntoTheLocationAroundThem) {
  Profile profile;
  const auto frame = [&](const char* name, FrameKind kind) {
    return profile.named_frame(name, kind);
  };
  StackId stack = StackId::kRoot;
  for (const FrameId id :
       {frame("main", FrameKind::kUser), frame("work", FrameKind::kUser),
        frame("a", FrameKind::kInlined), frame("b", FrameKind::kInlined)})
    stack = profile.stacks.push(stack, id);
  profile.samples.push_back(
      {.weight = 1, .stack = stack, .event = profile.event_id("samples")});
  const pprof_test::Profile message = decoded(profile);
  ASSERT_EQ(message.location_size(), 2);
  EXPECT_EQ(message.location(1).line_size(), 3);
  EXPECT_EQ(folded(written_and_read(profile), {.annotate_inlined = true}),
            "main;work;a_[i];b_[i] 1\n");
}

TEST(Pprof, WritesFunctionsWithoutNamesByWhereTheyBegin) {
  Profile profile;
  const ModuleId gzip = profile.module_id("/usr/bin/gzip");
  StackId stack = StackId::kRoot;
  for (const std::uint64_t address : {0x104, 0x204, 0x208})
    stack = profile.stacks.push(
        stack, profile.frames.intern({.module = gzip,
                                      .address = address,
                                      .function_start = address & ~0xffu}));
  profile.samples.push_back(
      {.weight = 1, .stack = stack, .event = profile.event_id("samples")});
  EXPECT_EQ(decoded(profile).function_size(), 2);
  EXPECT_EQ(folded(written_and_read(profile)),
            "[gzip+0x100];[gzip+0x200];[gzip+0x200] 1\n");
}

TEST(Pprof, WritesDecimalsInASmallerUnit) {
  const auto with = [](std::string_view unit, int decimals,
                       std::int64_t weight) {
    Profile profile;
    const EventId event = profile.event_id("e", unit);
    profile.events[event].decimals = static_cast<std::uint8_t>(decimals);
    profile.samples.push_back({.weight = weight, .event = event});
    const pprof_test::Profile message = decoded(profile);
    return std::to_string(message.sample(0).value(0)) + " " +
           message.string_table(
               static_cast<int>(message.sample_type(0).unit()));
  };
  EXPECT_EQ(with("ms", 3, 1250), "1250 microseconds");
  EXPECT_EQ(with("ms", 1, 15), "1500 microseconds");
  EXPECT_EQ(with("ms", 3, 2000), "2 ms");
  EXPECT_EQ(with("s", 9, 1), "1 nanoseconds");
  EXPECT_EQ(with("ns", 1, 15), "2 nanoseconds");
  EXPECT_EQ(with("", 2, 125), "1250 millicount");
  EXPECT_EQ(with("bytes", 0, 7), "7 bytes");
}

TEST(Pprof, KeepsDecimalsOfCounts) {
  const Profile profile = read_text("folded", "a;b 1.25\na;c 3\n");
  EXPECT_EQ(folded(written_and_read(profile)), "a;b 1.25\na;c 3\n");
}

TEST(Pprof, KeepsBothSidesOfADifference) {
  const Profile profile = read_text("folded", "a;b 1 5\na;c 3 2\n");
  EXPECT_EQ(content(written_and_read(profile)), content(profile));
}

TEST(Pprof, KeepsWhatIsKnownAboutTheWhole) {
  Profile profile = random_profile(1);
  profile.set_about("comment", "taken by hand");
  profile.set_about("host", "box: 7");
  profile.set_about("time_nanos", "1700000000000000000");
  profile.set_about("period", "10000000 nanoseconds of cpu");
  const pprof_test::Profile message = decoded(profile);
  EXPECT_EQ(message.time_nanos(), 1700000000000000000);
  EXPECT_EQ(message.period(), 10000000);
  const Profile again = written_and_read(profile);
  std::map<std::string, std::string> about;
  for (const About& row : again.about)
    about.emplace(again.strings[row.key], again.strings[row.value]);
  EXPECT_EQ(about["comment"], "taken by hand");
  EXPECT_EQ(about["host"], "box: 7");
  EXPECT_EQ(about["time_nanos"], "1700000000000000000");
  EXPECT_EQ(about["period"], "10000000 nanoseconds of cpu");
}

TEST(Pprof, BeginsWithTheMappingOfTheProgram) {
  const Profile profile = read_text("perf-script",
                                    "prog 7/7 1.0: 1 cycles:\n"
                                    "\t1 memcpy (/lib/libc.so.6)\n"
                                    "\t2 main (/home/me/prog)\n\n");
  EXPECT_EQ(decoded(profile).string_table(
                static_cast<int>(decoded(profile).mapping(0).filename())),
            "/home/me/prog");
}

// A pool thread has a name of its own.
TEST(Pprof, TakesTheFileThatStacksBeginInForTheProgram) {
  const Profile profile = read_text("perf-script",
                                    "worker 7/8 1.0: 1 cycles:\n"
                                    "\t1 memcpy (/lib/libc.so.6)\n"
                                    "\t2 main (/home/me/prog)\n\n");
  EXPECT_EQ(decoded(profile).string_table(
                static_cast<int>(decoded(profile).mapping(0).filename())),
            "/home/me/prog");
}

TEST(Pprof, WritesNamesAsValidText) {
  Profile profile;
  profile.samples.push_back(
      {.weight = 1,
       .stack = profile.stacks.push(StackId::kRoot,
                                    profile.named_frame("a\xff\n;<script>")),
       .event = profile.event_id("samples")});
  const pprof_test::Profile message = decoded(profile);
  EXPECT_THAT(message.string_table(),
              testing::Contains("a\xef\xbf\xbd\n;<script>"));
}

}  // namespace
}  // namespace wick

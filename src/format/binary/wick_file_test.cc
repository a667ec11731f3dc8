// SPDX-License-Identifier: Apache-2.0
#include "format/binary/wick_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/error.h"
#include "builders/read.h"
#include "builders/stored_inputs.h"
#include "format/registry.h"
#include "io/compress.h"
#include "profile/kind_names.h"
#include "profile/off_cpu_reason.h"

namespace wick {
namespace {

using namespace wick_file;

// Without what read_profile adds.
Profile read_back(std::string bytes, const ReadOptions& options = {}) {
  InputFile file = InputFile::from_memory("x.wick", std::move(bytes));
  Profile profile = input_format("wick").read(file, options);
  EXPECT_EQ(check(profile), "");
  return profile;
}

std::string error_of(std::string bytes) {
  try {
    read_back(std::move(bytes));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

void expect_same(const Profile& a, const Profile& b) {
  ASSERT_EQ(a.strings.size(), b.strings.size());
  for (const StringId id : a.strings.ids())
    ASSERT_EQ(a.strings[id], b.strings[id]);
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (const FrameId id : a.frames.ids()) ASSERT_EQ(a.frames[id], b.frames[id]);
  ASSERT_EQ(a.stacks.size(), b.stacks.size());
  for (const StackId id : a.stacks.ids()) {
    ASSERT_EQ(a.stacks.parent(id), b.stacks.parent(id));
    ASSERT_EQ(a.stacks.frame(id), b.stacks.frame(id));
  }
  EXPECT_EQ(a.modules, b.modules);
  EXPECT_EQ(a.threads, b.threads);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.has_time, b.has_time);
  EXPECT_EQ(a.is_trace, b.is_trace);
  EXPECT_EQ(a.about, b.about);
  EXPECT_EQ(a.diagnostics, b.diagnostics);
}

// A header and sections as one likes, for files that no writer makes.
class FileBuilder {
 public:
  explicit FileBuilder(std::uint16_t major = kMajor) : bytes_(kMagic) {
    append_raw(bytes_, major);
    append_raw(bytes_, kMinor);
    append_raw(bytes_, std::uint32_t{0});
    append_raw(bytes_, crc32(bytes_));
  }
  FileBuilder& section(std::uint32_t type, std::uint32_t first_row,
                       std::uint32_t rows, std::string_view columns) {
    return stored(type, first_row, rows, columns, Encoding::kPlain,
                  static_cast<std::uint32_t>(columns.size()));
  }
  FileBuilder& stored(std::uint32_t type, std::uint32_t first_row,
                      std::uint32_t rows, std::string_view content,
                      Encoding encoding, std::uint32_t plain_size) {
    std::string header;
    append_raw(header, type);
    append_raw(header, encoding);
    append_raw(header, first_row);
    append_raw(header, rows);
    append_raw(header, std::uint64_t{content.size()});
    append_raw(header, plain_size);
    append_raw(header, crc32(content, crc32(header)));
    bytes_ += header;
    bytes_ += content;
    ++sections_;
    return *this;
  }
  std::string end() {
    section(kEnd, 0, sections_, "");
    return bytes_;
  }

 private:
  std::string bytes_;
  std::uint32_t sections_ = 0;
};

// The place of the content of the first section of this type.
std::size_t find_section(const std::string& bytes, std::string_view type) {
  return bytes.find(type) + kSectionHeaderSize;
}

TEST(WickFile, ReadsBackTheSameProfile) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    const Profile profile = random_profile(seed);
    expect_same(profile, read_back(written("wick", profile)));
  }
}

TEST(WickFile, WritesTheSameBytesAgain) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const std::string bytes = written("wick", random_profile(seed));
    EXPECT_EQ(written("wick", read_back(bytes)), bytes);
  }
}

TEST(WickFile, KeepsEverythingThatAProfileCanHold) {
  Profile profile;
  profile.has_time = true;
  profile.threads.push_back({-1, INT32_MAX, profile.strings.intern("a b")});
  profile.threads.push_back({INT32_MIN, 0, StringId::kEmpty});
  profile.events.push_back({.name = profile.strings.intern("before"),
                            .unit = profile.strings.intern("bytes"),
                            .decimals = 9,
                            .role = EventRole::kBefore});
  profile.events.push_back(
      {.role = EventRole::kAfter, .time = TimeKind::kTraceClock});
  profile.is_trace = true;
  StackId stack = StackId::kRoot;
  for (const FrameKind kind :
       {FrameKind::kUser, FrameKind::kKernel, FrameKind::kInlined,
        FrameKind::kJit, FrameKind::kLabel, FrameKind::kWasm})
    stack = profile.stacks.push(
        stack,
        profile.frames.intern(
            {.function = profile.strings.intern(std::string_view("\0\xff;", 3)),
             .file = profile.strings.intern("f.c"),
             .module = profile.module_id("/lib/x", "0123"),
             .line = UINT32_MAX,
             .address = UINT64_MAX,
             .kind = kind}));
  stack = profile.stacks.push(
      stack, profile.frames.intern({.module = profile.module_id("/lib/x"),
                                    .function_start = UINT64_MAX}));
  stack = profile.stacks.push(
      stack, off_cpu_frame(profile, OffCpuReason::kNotSampled));
  profile.samples.push_back({.time = 0, .weight = INT64_MAX, .stack = stack});
  profile.samples.push_back({.time = UINT64_MAX,
                             .weight = 0,
                             .stack = stack,
                             .thread = ThreadId{2},
                             .event = EventId{1},
                             .cpu = 0});
  profile.set_about("command", "x -y");
  profile.diagnostics.note_at(Problem::kBadLine, "what it was", 17);
  profile.diagnostics.note(Problem::kLostSamples, 5, 60);
  profile.diagnostics.note_time(Problem::kNotSampled, 250, 1000);
  expect_same(profile, read_back(written("wick", profile)));
}

// Files that version 0.1.0 wrote are in tests/golden/wick.
Profile read_stored(std::string_view name) {
  for (const StoredInput& input : golden_inputs())
    if (input.format == "wick" && input.name == name)
      return read_back(input.bytes());
  ADD_FAILURE() << name << " is missing";
  return {};
}

// Name, role, time and weight of each event.
std::string events_of(const Profile& profile) {
  std::string text;
  for (const EventId id : profile.events.ids()) {
    const Event& event = profile.events[id];
    text += fmt::format("{} {} '{}' {}\n", profile.strings[event.name],
                        name_of(event.role), name_of(event.time),
                        total_weight(profile, id));
  }
  return text;
}

std::string off_cpu_frames_of(const Profile& profile) {
  std::string text;
  for (const FrameId id : profile.frames.ids())
    if (const Frame& frame = profile.frames[id];
        frame.kind == FrameKind::kOffCpu)
      text += fmt::format("{} {}\n", static_cast<int>(frame.off_cpu),
                          profile.function(id));
  return text;
}

TEST(WickFile, FindsTheTimesOfVersion010ByTheNamesOfEvents) {
  const Profile profile = read_stored("off-cpu-0.1.0.wick");
  EXPECT_EQ(events_of(profile),
            "cpu-clock plain 'on-cpu' 10000000\n"
            "sched:sched_switch plain '' 5\n"
            "offcpu-time plain 'off-cpu' 51831656\n"
            "wall-time plain 'wall' 64123002\n");
  EXPECT_FALSE(profile.is_trace);
}

TEST(WickFile, FindsTheReasonsOfVersion010ByTheirLabels) {
  EXPECT_EQ(off_cpu_frames_of(read_stored("off-cpu-0.1.0.wick")),
            "3 [preempted]\n1 [blocked]\n");
}

TEST(WickFile, FindsTheClockOfATraceOfVersion010) {
  const Profile profile = read_stored("trace-0.1.0.wick");
  EXPECT_EQ(events_of(profile),
            "cycles plain 'trace-clock' 7991\ncalls plain '' 8\n");
  EXPECT_TRUE(profile.is_trace);
  EXPECT_EQ(clock_of_trace(profile), EventId{0});
  std::vector<std::string_view> keys;
  for (const About& about : profile.about)
    keys.push_back(profile.strings[about.key]);
  EXPECT_EQ(keys, (std::vector<std::string_view>{"clock", "trace", "format"}));
}

TEST(WickFile, ReadsSamplesOfVersion010) {
  const Profile profile = read_stored("samples-0.1.0.wick");
  EXPECT_EQ(events_of(profile), "cpu-clock:ppp plain '' 5015045\n");
  EXPECT_EQ(profile.samples.size(), 5u);
  EXPECT_TRUE(profile.has_time);
  EXPECT_FALSE(profile.is_trace);
}

TEST(WickFile, ReadsADifferenceOfVersion010) {
  const Profile profile = read_stored("difference-0.1.0.wick");
  EXPECT_EQ(events_of(profile), "samples before '' 40\nsamples after '' 20\n");
  EXPECT_TRUE(is_difference(profile));
}

TEST(WickFile, KeepsAnEmptyProfile) {
  expect_same(Profile(), read_back(written("wick", Profile())));
}

TEST(WickFile, AddsUpSamplesWhenTimesAreNotWanted) {
  const Profile profile = random_profile(1);
  const Profile back =
      read_back(written("wick", profile), {.keep_time = false});
  EXPECT_FALSE(back.has_time);
  EXPECT_LT(back.samples.size(), profile.samples.size());
  EXPECT_EQ(folded(back), folded(profile));
}

TEST(WickFile, IsRecognised) {
  const std::string bytes = written("wick", random_profile(1));
  EXPECT_EQ(detect(bytes)->name, "wick");
}

TEST(WickFile, ReportsHowMuchIsMissingFromACutFile) {
  const Profile profile = random_profile(1);
  std::string bytes = written("wick", profile);
  bytes.resize(find_section(bytes, "SAMP") + 5);
  const Profile back = read_back(bytes);
  EXPECT_EQ(back.diagnostics.count(Problem::kTruncated), 1u);
  EXPECT_EQ(back.diagnostics.count(Problem::kBadRecord),
            profile.samples.size());
  EXPECT_EQ(back.diagnostics.weight(Problem::kBadRecord),
            whole_weight(profile));
}

TEST(WickFile, KeepsTheWeightsWhenNamesAreDamaged) {
  const Profile profile = random_profile(1);
  std::string bytes = written("wick", profile);
  bytes[find_section(bytes, "STRS") + 9] ^= 1;
  const Profile back = read_back(bytes);
  EXPECT_EQ(whole_weight(back), whole_weight(profile));
  EXPECT_GT(back.diagnostics.count(Problem::kBadRecord), 0u);
  EXPECT_NE(folded(back).find("[damaged]"), std::string::npos);
}

TEST(WickFile, KeepsTheWeightsWhenStacksAreDamaged) {
  const Profile profile = random_profile(1);
  std::string bytes = written("wick", profile);
  bytes[find_section(bytes, "STAK") + 9] ^= 1;
  EXPECT_EQ(whole_weight(read_back(bytes)), whole_weight(profile));
}

TEST(WickFile, IsAnErrorWhenTheEventsAreDamaged) {
  std::string bytes = written("wick", random_profile(1));
  bytes[find_section(bytes, "EVNT")] ^= 1;
  EXPECT_NE(error_of(bytes).find("damaged before its samples"),
            std::string::npos);
}

TEST(WickFile, GivesAProfileOrAnErrorForEveryChangedByte) {
  const Profile profile = random_profile(2);
  const std::string bytes = written("wick", profile);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    SCOPED_TRACE(i);
    std::string damaged = bytes;
    damaged[i] ^= 0x41;
    try {
      const Profile back = read_back(damaged);
      EXPECT_LE(whole_weight(back), whole_weight(profile));
      EXPECT_FALSE(back.diagnostics.empty());
    } catch (const Error&) {
    }
  }
}

TEST(WickFile, GivesAProfileOrAnErrorForEveryPrefix) {
  const Profile profile = random_profile(2);
  const std::string bytes = written("wick", profile);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    try {
      const Profile back = read_back(bytes.substr(0, i));
      EXPECT_LE(whole_weight(back), whole_weight(profile));
      EXPECT_EQ(back.diagnostics.count(Problem::kTruncated), 1u);
    } catch (const Error&) {
    }
  }
}

TEST(WickFile, SkipsSectionsOfLaterVersions) {
  const std::string bytes = FileBuilder().section(tag("NEWS"), 0, 7, "x").end();
  EXPECT_TRUE(read_back(bytes).diagnostics.empty());
}

TEST(WickFile, IgnoresColumnsOfLaterVersions) {
  // Key and value, and a third column.
  const std::string bytes =
      FileBuilder().section(kAbout, 0, 1, std::string_view("\0\0\7", 3)).end();
  const Profile back = read_back(bytes);
  EXPECT_EQ(back.about.size(), 1u);
  EXPECT_TRUE(back.diagnostics.empty());
}

TEST(WickFile, RefusesALaterMajorVersion) {
  EXPECT_EQ(error_of(FileBuilder(2).end()),
            "has version 2.5 of the wick format; this wick reads version 1, so "
            "use a newer one");
}

TEST(WickFile, NotesASectionWithMoreRowsThanBytes) {
  const std::string event("\0\0\0\0\0\0\0", 7);
  const Profile back = read_back(FileBuilder()
                                     .section(kEvents, 0, 1, event)
                                     .section(kThreads, 1, 4'000'000'000, "abc")
                                     .end());
  EXPECT_EQ(back.diagnostics.count(Problem::kBadRecord), 1u);
  EXPECT_EQ(back.threads.size(), 1u);
}

TEST(WickFile, GivesGapsNoMemory) {
  const std::string event("\0\0\0\0\0\0\0", 7);
  const Profile back = read_back(FileBuilder()
                                     .section(kStrings, 4'000'000'000, 1, "\1x")
                                     .section(kEvents, 0, 1, event)
                                     .end());
  EXPECT_LE(back.strings.size(), 2u);
}

TEST(WickFile, GivesAnUnknownRowAsDamaged) {
  const std::string event("\0\0\0\0\1\5\0", 7);
  // Time 0, weight 5, stack 9, thread 0, event 0, no cpu.
  const std::string sample("\0\x0a\x09\0\0\0", 6);
  const Profile back = read_back(FileBuilder()
                                     .section(kEvents, 0, 1, event)
                                     .section(kSamples, 0, 1, sample)
                                     .end());
  EXPECT_EQ(folded(back), "[damaged] 5\n");
  EXPECT_EQ(back.diagnostics.count(Problem::kBadRecord), 1u);
}

TEST(WickFile, RefusesADecompressionBomb) {
  const std::string packed = zstd_compress("a few bytes");
  const std::string bytes =
      FileBuilder()
          .stored(kSamples, 0, 1 << 20, packed, Encoding::kZstd, 200 << 20)
          .end();
  EXPECT_NE(error_of(bytes).find("decompression bomb"), std::string::npos);
}

TEST(WickFile, DoesNotBelieveAPlainSizeThatIsNotThere) {
  const std::string event("\0\0\0\0\0\0\0", 7);
  const std::string packed = zstd_compress("abc");
  const Profile back =
      read_back(FileBuilder()
                    .section(kEvents, 0, 1, event)
                    .stored(kStrings, 1, 1, packed, Encoding::kZstd, 1 << 20)
                    .end());
  EXPECT_EQ(back.diagnostics.count(Problem::kBadRecord), 1u);
}

TEST(WickFile, NotesWhatFollowsTheEnd) {
  const std::string bytes = written("wick", random_profile(1));
  EXPECT_EQ(read_back(bytes + bytes).diagnostics.count(Problem::kBadRecord),
            1u);
}

}  // namespace
}  // namespace wick

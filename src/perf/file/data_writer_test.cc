// SPDX-License-Identifier: Apache-2.0
#include "perf/file/data_writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/error.h"
#include "builders/perf_data_builder.h"
#include "builders/test_folder.h"
#include "io/compress.h"
#include "io/read_file.h"
#include "perf/file/data_file.h"
#include "perf/records/record_scanner.h"

namespace wick {
namespace {

using namespace sample_type;
using testing::ElementsAre;
using testing::HasSubstr;

EventAttr clock_attr() {
  return {.type = event_type::kSoftware,
          .sample_period = 997,
          .sample_type = kIp | kTid | kTime | kPeriod | kIdentifier,
          .flags = attr_flag::kFreq | attr_flag::kSampleIdAll};
}
EventAttr fault_attr() {
  EventAttr attr = clock_attr();
  attr.config = 2;
  attr.sample_type |= kAddr;
  return attr;
}

// Two events; the builder gives them these ids.
std::vector<RecordedEvent> two_events() {
  return {{.attr = clock_attr(), .name = "cpu-clock", .ids = {1, 2}},
          {.attr = fault_attr(), .name = "page-faults", .ids = {101, 102}}};
}
PerfDataBuilder two_events_built() {
  PerfDataBuilder file;
  file.event(clock_attr(), "cpu-clock").event(fault_attr(), "page-faults");
  return file;
}

// A record as a reader sees it, for comparison.
std::vector<std::string> records_of(PerfData& data) {
  std::vector<std::string> seen;
  data.for_each_in_time_order([&](const PerfRecord& record) {
    seen.push_back(fmt::format("{} {} {} {} ", static_cast<int>(record.type),
                               record.misc, record.time, record.event->name) +
                   std::string(record.body));
  });
  return seen;
}

class PerfDataWriterTest : public testing::TestWithParam<int> {
 protected:
  PerfDataWriter writer(std::vector<RecordedEvent> events = two_events()) {
    return {OutputName::typed(path_),
            std::move(events),
            {.compression_level = GetParam()}};
  }
  InputFile input() { return InputFile::open(path_); }
  std::string content() {
    return read_small_file(path_, std::uint64_t{1} << 30).value();
  }
  TestFolder folder_;
  std::string path_ = folder_.path() + "/perf.data";
};
INSTANTIATE_TEST_SUITE_P(Compressed, PerfDataWriterTest, testing::Values(0, 3),
                         [](const auto& level) {
                           return level.param == 0 ? "Not" : "ByZstd";
                         });

TEST_P(PerfDataWriterTest, WhatIsWrittenIsReadAgain) {
  PerfDataBuilder built = two_events_built();
  built.comm(7, 7, "program", 1);
  for (std::uint64_t i = 0; i < 1000; ++i)
    built.sample({.event = i % 2, .ip = i, .pid = 7, .tid = 7, .time = i + 2});
  PerfDataWriter file = writer();
  file.write(built.records());
  file.finished_round();
  file.finish();

  InputFile expected_input = built.input(), actual_input = input();
  PerfData expected(expected_input), actual(actual_input);
  EXPECT_EQ(records_of(actual), records_of(expected));
  EXPECT_EQ(actual.counts().records, 1001u);
  EXPECT_EQ(actual.counts().bad_records, 0u);
  EXPECT_FALSE(actual.counts().truncated);
  ASSERT_EQ(actual.header().events.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const PerfEvent& event = actual.header().events[i];
    EXPECT_EQ(event.name, two_events()[i].name);
    EXPECT_EQ(event.ids, two_events()[i].ids);
    EventAttr attr = event.attr;
    EXPECT_EQ(std::exchange(attr.size, 0), 112u);
    EXPECT_EQ(attr, two_events()[i].attr);
  }
  EXPECT_EQ(actual.header().compressed, GetParam() != 0);
}

TEST_P(PerfDataWriterTest, SectionsAreReadAgainWheneverTheyWereSet) {
  const std::vector<std::string> words{"wick", "record", "--", "a b"};
  const std::vector<PerfHeader::Pmu> pmus{{.type = 1, .name = "software"}};
  const std::vector<PerfHeader::Group> groups{
      {.name = "both", .leader = 0, .members = 2}};
  const std::vector<PerfHeader::BuildId> ids{
      {.path = "/usr/bin/x",
       .build_id = "00112233445566778899aabbccddeeff00112233",
       .pid = -1,
       .cpu_mode = misc::kUser},
      {.path = "/usr/bin/short",
       .build_id = "0011223344556677",
       .pid = -1,
       .cpu_mode = misc::kUser}};
  for (const bool early : {true, false}) {
    PerfDataWriter file = writer();
    if (!early) file.write(two_events_built().sample({.time = 1}).records());
    file.machine({.hostname = "host",
                  .os_release = "6.1.0",
                  .arch = "x86_64",
                  .cpus_online = 2,
                  .cpus_available = 4,
                  .cpu_description = "a CPU",
                  .cpuid = "A,1,2,3",
                  .total_memory_kb = 5});
    file.command_line(words);
    file.build_ids(ids);
    file.sample_times(3, 9);
    file.clock({.clockid = 1, .wall_ns = 20, .clock_ns = 10}, 1);
    file.pmus(pmus);
    file.groups(groups);
    file.facts({.begin_time = 4});
    file.names("names of code");
    file.finish();

    InputFile in = input();
    const PerfData data(in);
    const PerfHeader& h = data.header();
    EXPECT_EQ(h.hostname, "host");
    EXPECT_EQ(h.os_release, "6.1.0");
    EXPECT_EQ(h.perf_version, "6.1 (wick)");
    EXPECT_EQ(h.arch, "x86_64");
    EXPECT_EQ(h.cpus_online, 2u);
    EXPECT_EQ(h.cpus_available, 4u);
    EXPECT_EQ(h.cpu_description, "a CPU");
    EXPECT_EQ(h.cpuid, "A,1,2,3");
    EXPECT_EQ(h.total_memory_kb, 5u);
    EXPECT_EQ(h.command_line, words);
    EXPECT_EQ(h.first_sample_time, 3u);
    EXPECT_EQ(h.last_sample_time, 9u);
    ASSERT_TRUE(h.clock_data);
    EXPECT_EQ(h.clock_data->clockid, 1u);
    EXPECT_EQ(h.clock_data->wall_ns, 20u);
    EXPECT_EQ(h.clock_data->clock_ns, 10u);
    EXPECT_EQ(h.clock_resolution_ns, 1u);
    ASSERT_EQ(h.pmus.size(), 1u);
    EXPECT_EQ(h.pmus[0].name, "software");
    EXPECT_EQ(h.events[1].group_leader, 0u);
    ASSERT_EQ(h.build_ids.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(h.build_ids[i].path, ids[i].path);
      EXPECT_EQ(h.build_ids[i].build_id, ids[i].build_id);
      EXPECT_EQ(h.build_ids[i].pid, -1);
      EXPECT_EQ(h.build_ids[i].cpu_mode, misc::kUser);
    }
    EXPECT_EQ(h.facts.begin_time, 4u);
    EXPECT_EQ(h.names, "names of code");
    EXPECT_FALSE(data.counts().truncated);
  }
}

TEST_P(PerfDataWriterTest, ASectionSetTwiceIsTheLaterOne) {
  PerfDataWriter file = writer();
  file.machine({.hostname = "early"});
  file.write(two_events_built().sample({.time = 1}).records());
  file.machine({.hostname = "late"});
  file.finish();
  InputFile in = input();
  EXPECT_EQ(PerfData(in).header().hostname, "late");
}

TEST_P(PerfDataWriterTest, ItsSizeIncludesNamesAndTheOtherLastSections) {
  PerfDataWriter file = writer();
  file.names(std::string(1000, 'n'));
  file.finish();
  EXPECT_EQ(file.bytes(), std::filesystem::file_size(path_));
}

TEST_P(PerfDataWriterTest, WithoutARecordTheFileIsStillOneThatWasFinished) {
  writer().finish();
  InputFile in = input();
  PerfData data(in);
  EXPECT_TRUE(records_of(data).empty());
  EXPECT_FALSE(data.counts().truncated);
  std::uint64_t data_size = 0;
  std::memcpy(&data_size, content().data() + 48, 8);
  EXPECT_GT(data_size, 0u);  // 0 makes perf warn
}

TEST_P(PerfDataWriterTest, WhatWasFlushedIsThereWithoutAnEnd) {
  PerfDataWriter file = writer();
  file.machine({.hostname = "host"});
  for (std::uint64_t i = 1; i <= 3; ++i) {
    file.write(two_events_built().sample({.time = i}).records());
    file.flush();
    InputFile in = input();
    PerfData data(in);
    EXPECT_EQ(data.header().hostname, "host");
    EXPECT_EQ(data.header().events[1].name, "page-faults");
    EXPECT_EQ(records_of(data).size(), i);
    EXPECT_TRUE(data.counts().truncated);  // it was not finished
    EXPECT_EQ(data.counts().bad_records, 0u);
  }
}

TEST_P(PerfDataWriterTest, TheFirstRoundIsFlushedAtOnce) {
  PerfDataWriter file = writer();
  file.write(two_events_built().sample({.time = 1}).records());
  file.finished_round();
  InputFile in = input();
  PerfData data(in);
  EXPECT_EQ(records_of(data).size(), 1u);
}

TEST_P(PerfDataWriterTest, AFileCutAnywhereIsReadAsFarAsItGoes) {
  PerfDataBuilder built = two_events_built();
  for (std::uint64_t i = 0; i < 20; ++i) built.sample({.time = i + 1});
  {
    PerfDataWriter file = writer();
    file.machine({.hostname = "host"});
    file.write(built.records());
    file.finish();
  }
  const std::string whole = content();
  InputFile in = InputFile::from_memory("whole", whole);
  PerfData complete(in);
  const std::vector<std::string> expected = records_of(complete);
  ASSERT_EQ(expected.size(), 20u);
  std::size_t most = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    InputFile cut = InputFile::from_memory("cut", whole.substr(0, size));
    try {
      PerfData data(cut);
      const auto seen = records_of(data);
      ASSERT_GE(seen.size(), most) << size;
      most = seen.size();
      ASSERT_TRUE(std::equal(seen.begin(), seen.end(), expected.begin(),
                             [](const std::string& a, const std::string& b) {
                               // Names come with the sections at the end.
                               return a.substr(a.size() - 40) ==
                                      b.substr(b.size() - 40);
                             }))
          << size;
    } catch (const Error&) {
      ASSERT_LT(size, 104 + 4 * 8 + 2 * 128u);  // header, ids, attrs
    }
  }
  EXPECT_EQ(most, 20u);
}

TEST_P(PerfDataWriterTest, AKilledRecorderLeavesAReadableFile) {
  PerfDataBuilder built = two_events_built();
  for (std::uint64_t i = 0; i < 5000; ++i)
    built.sample({.event = i % 2, .ip = i * i, .time = i + 1});
  const std::string records = built.records();
  std::mt19937 random(1);
  for (int round = 0; round < 10; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      PerfDataWriter file = writer();
      file.machine({.hostname = "host"});
      // What repeats compresses too well to be believed if it is much more.
      for (int i = 0; i < 60; ++i) {
        file.write(records);
        file.finished_round();
      }
      while (true) ::pause();
    }
    ASSERT_GT(child, 0);
    ::usleep(3000 + random() % 20'000);
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    // It may not get far, but the file exists once the header is written.
    if (!std::filesystem::exists(path_) || content().size() < 500) continue;
    InputFile in = input();
    PerfData data(in);
    PerfRecord record;
    while (data.next(record)) {
    }
    EXPECT_EQ(data.counts().bad_records, 0u);
    EXPECT_EQ(data.counts().unknown_ids, 0u);
    EXPECT_EQ(data.counts().damaged_streams, 0u);
    // The header has the size of all that was written before, so that half a
    // block is left out; of the first one, what is there is read.
    std::uint64_t size = 0;
    std::memcpy(&size, content().data() + 48, sizeof size);
    if (size > 0) {
      EXPECT_EQ(data.counts().samples % 5000, 0u);
    }
  }
}

TEST_P(PerfDataWriterTest, OnAFullDiskWhatWasFlushedStays) {
  std::mt19937_64 random(1);
  std::uint64_t time = 0;
  const auto make_records = [&] {
    PerfDataBuilder built = two_events_built();
    for (std::uint64_t i = 0; i < 1000; ++i)
      built.sample({.ip = random(), .time = ++time, .period = random()});
    return built.records();
  };
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = 3'000'000;
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::string message;
  std::uint64_t kept = 0;
  {
    PerfDataWriter file = writer();
    file.machine({.hostname = "host"});
    try {
      for (int i = 0; i < 1000; ++i) file.write(make_records());
    } catch (const Error& error) {
      message = error.what();
    }
    kept = file.bytes();
    // The recorder stops in good order.
    EXPECT_NO_THROW(file.write(make_records()));
    EXPECT_NO_THROW(file.finished_round());
    EXPECT_GT(file.dropped_bytes(), make_records().size());
    RecordingFacts facts;
    facts.losses.note(Problem::kLostSamples, 7);
    file.facts(facts);
    EXPECT_NO_THROW(file.finish());
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, old_handler);

  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_THAT(message, HasSubstr(path_));
  EXPECT_GT(kept, 1'000'000u);
  InputFile in = input();
  PerfData data(in);
  const auto seen = records_of(data);
  EXPECT_GT(seen.size(), 10'000u);
  EXPECT_EQ(data.counts().bad_records, 0u);
  EXPECT_EQ(data.counts().damaged_streams, 0u);
  EXPECT_FALSE(data.counts().truncated);
  EXPECT_EQ(data.header().hostname, "host");
  EXPECT_EQ(data.header().facts.losses.count(Problem::kLostSamples), 7u);
}

// perf 6.1 unpacks each COMPRESSED record by one call, into as many bytes as
// the section says less the half record before, and gives up if nothing comes.
TEST(PerfDataWriter, EveryCompressedRecordIsOnePerfCanUnpack) {
  const TestFolder folder;
  const std::string path = folder.path() + "/perf.data";
  std::mt19937_64 random(1);
  std::string all;
  {
    PerfDataWriter file(OutputName::typed(path), two_events(),
                        {.compression_level = 1});
    for (const std::size_t size : {16, 65528, 65528, 64, 65000, 8, 65528}) {
      std::string record;
      append_raw(record, static_cast<std::uint32_t>(RecordType::kSample));
      append_raw(record, std::uint16_t{0});
      append_raw(record, static_cast<std::uint16_t>(size));
      while (record.size() < size) append_raw(record, random());
      file.write(record);
      all += record;
    }
    file.finish();
  }
  const std::string bytes = read_small_file(path, 1 << 24).value();
  std::uint64_t offset = 0, size = 0;
  std::memcpy(&offset, bytes.data() + 40, 8);
  std::memcpy(&size, bytes.data() + 48, 8);
  RecordScanner scanner(std::string_view(bytes).substr(offset, size), false);
  Decompressor zstd(Compression::kZstd);
  std::string unpacked;
  std::size_t left = 0;
  for (RecordScanner::Item item; scanner.next(item);) {
    ASSERT_EQ(item.header.type, RecordType::kCompressed);
    std::string out(131'072 - left, '\0');
    std::string_view body = item.body;
    const std::size_t made = zstd.step(body, out.data(), out.size());
    ASSERT_TRUE(body.empty());
    ASSERT_GT(made, 0u);
    unpacked.append(out, 0, made);
    std::size_t whole = 0;
    while (unpacked.size() - whole >= 8) {
      const std::size_t next =
          read_record_header(unpacked.data() + whole, false).size;
      if (next > unpacked.size() - whole) break;
      whole += next;
    }
    left = unpacked.size() - whole;
  }
  EXPECT_TRUE(unpacked == all);
}

TEST(PerfDataWriter, AnOlderFileIsKeptUnderAnotherName) {
  const TestFolder folder;
  const std::string path = folder.path() + "/perf.data";
  std::ofstream(path) << "older";
  PerfDataWriter(OutputName::typed(path), two_events()).finish();
  EXPECT_EQ(read_small_file(path + ".old", 100), "older");
  PerfDataWriter(OutputName::typed(path), two_events(), {.keep_old = false})
      .finish();
  EXPECT_EQ(read_small_file(path + ".old", 100), "older");
}

TEST(PerfDataWriter, AnEmptyFileThatWasThereIsReplaced) {
  const TestFolder folder;
  const std::string path = folder.path() + "/perf.data";
  std::ofstream theirs(path);
  const UniqueFd reader(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  PerfDataWriter(OutputName::typed(path), two_events()).finish();
  char c = 0;
  EXPECT_EQ(::read(reader.get(), &c, 1), 0);
}

TEST(PerfDataWriter, ADefaultNameThatIsALinkIsReplaced) {
  const TestFolder folder;
  const std::string path = folder.path() + "/wick.data",
                    victim = folder.path() + "/victim";
  for (const std::string text : {"", "old"}) {
    std::ofstream(victim) << text;
    std::filesystem::remove(path);
    std::filesystem::create_symlink("victim", path);
    PerfDataWriter(OutputName::chosen(path), two_events()).finish();
    EXPECT_EQ(read_small_file(victim, 100), text);
    EXPECT_FALSE(std::filesystem::is_symlink(path));
  }
}

TEST(PerfDataWriter, ALinkNamedOldIsReplaced) {
  const TestFolder folder;
  const std::string path = folder.path() + "/wick.data",
                    victim = folder.path() + "/victim";
  std::ofstream(path) << "older";
  std::ofstream(victim) << "old";
  std::filesystem::create_symlink("victim", path + ".old");
  PerfDataWriter(OutputName::chosen(path), two_events()).finish();
  EXPECT_EQ(read_small_file(victim, 100), "old");
  EXPECT_EQ(read_small_file(path + ".old", 100), "older");
}

TEST(PerfDataWriter, OnlyTheOwnerMayReadTheFile) {
  const TestFolder folder;
  const std::string path = folder.path() + "/perf.data";
  PerfDataWriter(OutputName::typed(path), two_events()).finish();
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(PerfDataWriter, ReportsWhyItCannotWrite) {
  const TestFolder folder;
  const auto message = [](const std::string& path) -> std::string {
    try {
      PerfDataWriter(OutputName::typed(path), two_events()).finish();
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_THAT(message(folder.path()), HasSubstr("is a directory"));
  EXPECT_THAT(message(folder.path() + "/no/such"),
              HasSubstr("No such file or directory"));
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THAT(message(fifo), HasSubstr("is a pipe"));
  EXPECT_EQ(message("/dev/null"), "");
}

TEST(PerfDataWriter, AttrsAreOfOneSizeAndNeverLongerThanPerfKnows) {
  const TestFolder folder;
  const std::string path = folder.path() + "/perf.data";
  std::vector<RecordedEvent> events = two_events();
  events[0].attr.size = 144;  // of a newer kernel, with nothing in it
  events[1].attr.size = 64;
  PerfDataWriter(OutputName::typed(path), events).finish();
  InputFile in = InputFile::open(path);
  const PerfData data(in);
  EXPECT_EQ(data.header().events[0].attr.size, 128u);
  EXPECT_EQ(data.header().events[1].attr.size, 128u);
}

}  // namespace
}  // namespace wick

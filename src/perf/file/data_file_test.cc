// SPDX-License-Identifier: Apache-2.0
#include "perf/file/data_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "base/error.h"
#include "builders/perf_data_builder.h"

namespace wick {
namespace {

using namespace sample_type;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kPlain = kIp | kTid | kTime;
const EventAttr kClock = {
    .type = 1, .sample_type = kPlain, .flags = attr_flag::kSampleIdAll};

// The records of a file, in order: the ip of samples, the name of threads.
struct Read {
  std::vector<std::string> records;
  PerfCounts counts;
};

std::string describe(const PerfRecord& record) {
  PerfSample sample;
  if (record.type == RecordType::kSample)
    return decode_sample(record, sample) ? std::to_string(sample.ip)
                                         : "damaged";
  if (record.type == RecordType::kComm)
    if (const auto comm = decode_comm(record)) return std::string(comm->name);
  return "type " + std::to_string(static_cast<std::uint32_t>(record.type));
}

Read read_all(PerfData& data) {
  Read result;
  data.for_each_in_time_order([&](const PerfRecord& record) {
    result.records.push_back(describe(record));
  });
  result.counts = data.counts();
  return result;
}

Read read_all(std::string bytes) {
  InputFile input = InputFile::from_memory("perf.data", std::move(bytes));
  PerfData data(input);
  return read_all(data);
}
Read read_all(const PerfDataBuilder& file) { return read_all(file.build()); }

TEST(PerfData, KnowsItsMagicOfEitherByteOrder) {
  EXPECT_TRUE(PerfData::sniff("PERFILE2\x68"));
  EXPECT_TRUE(PerfData::sniff("2ELIFREP"));
  EXPECT_FALSE(PerfData::sniff("PERFIL"));
  EXPECT_FALSE(PerfData::sniff(""));
}

TEST(PerfData, RefusesWhatItIsNot) {
  EXPECT_THROW(read_all(std::string("something else")), Error);
  EXPECT_THROW(read_all(std::string("PERFFILE........")), Error);
  EXPECT_THROW(read_all(std::string("PERFILE2")), Error);
  EXPECT_THROW(read_all(PerfDataBuilder()), Error);  // no events
}

// Every way of writing the same recording reads the same.
struct Way {
  const char* name;
  PerfDataBuilder::Options options;
};
class PerfDataEachWay : public testing::TestWithParam<Way> {};
using Packing = PerfDataBuilder::Packing;
INSTANTIATE_TEST_SUITE_P(
    , PerfDataEachWay,
    testing::Values(Way{"File", {}}, Way{"BigEndianFile", {.big_endian = true}},
                    Way{"Pipe", {.pipe = true}},
                    Way{"BigEndianPipe", {.big_endian = true, .pipe = true}},
                    Way{"Compressed",
                        {.packing = Packing::kCompressed, .packed_size = 7}},
                    Way{"Compressed2",
                        {.packing = Packing::kCompressed2, .packed_size = 33}},
                    Way{"BigEndianCompressedPipe",
                        {.big_endian = true,
                         .pipe = true,
                         .packing = Packing::kCompressed}}),
    [](const auto& info) { return info.param.name; });

TEST_P(PerfDataEachWay, GivesRecordsInTheOrderOfTime) {
  PerfDataBuilder file(GetParam().options);
  file.event(kClock, "clock");
  file.comm(1, 1, "first");
  file.sample({.ip = 30, .time = 300}).sample({.ip = 50, .time = 500});
  file.sample({.ip = 20, .time = 200}).round();
  file.comm(1, 1, "renamed", 250);
  file.sample({.ip = 60, .time = 600}).round();
  const Read read = read_all(file);
  EXPECT_THAT(read.records,
              ElementsAre("first", "20", "renamed", "30", "50", "60"));
  EXPECT_EQ(read.counts.records, 6u);
  EXPECT_EQ(read.counts.samples, 4u);
  EXPECT_EQ(read.counts.out_of_order, 0u);
  EXPECT_FALSE(read.counts.truncated);
}

TEST_P(PerfDataEachWay, DistinguishesEventsByTheirIds) {
  PerfDataBuilder file(GetParam().options);
  const EventAttr attr = {.type = 1,
                          .sample_type = kPlain | kIdentifier,
                          .flags = attr_flag::kSampleIdAll};
  file.event(attr, "one").event(attr, "two");
  file.sample({.event = 1, .ip = 1, .time = 1});
  file.sample({.event = 0, .ip = 2, .time = 2});
  InputFile input = file.input();
  PerfData data(input);
  std::vector<std::string> names;
  data.for_each_in_time_order(
      [&](const PerfRecord& record) { names.push_back(record.event->name); });
  EXPECT_THAT(names, ElementsAre("two", "one"));
}

TEST_P(PerfDataEachWay, HasItsFeatures) {
  PerfDataBuilder file(GetParam().options);
  file.event(kClock, "clock");
  file.feature(Feature::kHostname, file.make().sized_text("machine"));
  file.feature(Feature::kArch, file.make().sized_text("aarch64"));
  file.feature(Feature::kCmdline,
               file.make().u32(2).sized_text("perf").sized_text("record"));
  file.feature(Feature::kNrCpus, file.make().u32(8).u32(6));
  file.feature(Feature::kClockData,
               file.make().u32(1).u32(4).u64(1000).u64(10));
  InputFile input = file.input();
  const PerfData data(input);
  EXPECT_EQ(data.header().hostname, "machine");
  EXPECT_EQ(data.header().machine, Machine::kAArch64);
  EXPECT_THAT(data.header().command_line, ElementsAre("perf", "record"));
  EXPECT_EQ(data.header().cpus_available, 8u);
  EXPECT_EQ(data.header().cpus_online, 6u);
  ASSERT_TRUE(data.header().clock_data);
  EXPECT_EQ(data.header().clock_data->wall_ns, 1000u);
}

TEST_P(PerfDataEachWay, ReadsTracepointsByTheirFields) {
  PerfDataBuilder file(GetParam().options);
  file.event({.type = 2, .config = 316, .sample_type = kTime | kRaw});
  file.feature(Feature::kTracingData,
               Bytes().bytes(encode_tracing_data(
                   {{"sched",
                     "name: sched_switch\nID: 316\nformat:\n"
                     "\tfield:int prev_pid;\toffset:4;\tsize:4;\tsigned:1;\n"}},
                   GetParam().options.big_endian)));
  file.sample({.time = 1, .raw = file.make().u32(0).u32(42).str()});
  InputFile input = file.input();
  PerfData data(input);
  EXPECT_EQ(data.header().events[0].name, "sched:sched_switch");
  PerfRecord record;
  PerfSample sample;
  ASSERT_TRUE(data.next(record));
  ASSERT_TRUE(decode_sample(record, sample));
  const TracepointFormat* format = record.event->tracepoint;
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(format->integer(*format->field("prev_pid"), sample.raw), 42);
}

TEST_P(PerfDataEachWay, CanBeVisitedAgain) {
  PerfDataBuilder file(GetParam().options);
  file.event(kClock).sample({.ip = 2, .time = 2}).sample({.ip = 1, .time = 1});
  InputFile input = file.input();
  PerfData data(input);
  EXPECT_THAT(read_all(data).records, ElementsAre("1", "2"));
  EXPECT_THAT(read_all(data).records, ElementsAre("1", "2"));
  EXPECT_EQ(data.counts().samples, 2u);
}

TEST(PerfData, HasBuildIds) {
  PerfDataBuilder file;
  file.event(kClock);
  const std::string id(20, '\xab');
  Bytes section;
  section.u32(0).u16(misc::kUser | misc::kBuildIdSize).u16(48);
  section.u32(0xffff'ffff).bytes(id).u8(4).bytes(std::string(3, '\0'));
  section.bytes("/bin/x").bytes(std::string(6, '\0'));
  section.u32(0).u16(misc::kKernel).u16(48);
  section.u32(0xffff'ffff).bytes(id.substr(0, 16));
  section.bytes(std::string(8, '\0')).bytes("[kernel]").u32(0);
  file.feature(Feature::kBuildId, section);
  InputFile input = file.input();
  const PerfData data(input);
  const auto& ids = data.header().build_ids;
  ASSERT_EQ(ids.size(), 2u);
  EXPECT_EQ(ids[0].build_id, "abababab");  // of the size that is given
  EXPECT_EQ(ids[0].path, "/bin/x");
  EXPECT_EQ(ids[0].pid, -1);
  EXPECT_EQ(ids[0].cpu_mode, misc::kUser);
  EXPECT_EQ(ids[1].build_id, "abababababababababababababababab");
  EXPECT_EQ(ids[1].path, "[kernel]");
}

TEST(PerfData, NamesEventsOfAHybridMachineByTheirPmu) {
  PerfDataBuilder file;
  file.event({.type = 0, .config = 10ull << 32, .sample_type = kPlain});
  file.event({.type = 11, .config = 0x3c, .sample_type = kPlain});
  file.feature(Feature::kPmuMappings, Bytes()
                                          .u32(2)
                                          .u32(10)
                                          .sized_text("cpu_atom")
                                          .u32(11)
                                          .sized_text("uncore"));
  InputFile input = file.input();
  const PerfData data(input);
  EXPECT_EQ(data.header().events[0].name, "cpu_atom/cycles/");
  EXPECT_EQ(data.header().events[1].name, "uncore/config=0x3c/");
}

TEST(PerfData, KnowsTheLeadersOfGroups) {
  PerfDataBuilder file;
  for (int i = 0; i < 4; ++i) file.event(kClock);
  file.feature(Feature::kGroupDesc,
               Bytes().u32(1).sized_text("{a,b}").u32(1).u32(2));
  InputFile input = file.input();
  const PerfData data(input);
  std::vector<std::uint32_t> leaders;
  for (const PerfEvent& event : data.header().events)
    leaders.push_back(event.group_leader);
  EXPECT_THAT(leaders, ElementsAre(0, 1, 1, 3));
}

TEST(PerfData, GuessesTheMachineByItsRegisters) {
  const auto machine = [](std::uint64_t mask) {
    PerfDataBuilder file;
    file.event({.sample_type = kRegsUser, .sample_regs_user = mask});
    InputFile input = file.input();
    return PerfData(input).header().machine;
  };
  EXPECT_EQ(machine(0xff0fff), Machine::kX86_64);
  EXPECT_EQ(machine(0x1'ffff'ffff), Machine::kAArch64);
  EXPECT_EQ(machine(0xffff'ffff), Machine::kRiscV);
}

TEST(PerfData, SamplesOfAnUnknownEventAreCountedAndSkipped) {
  PerfDataBuilder file;
  const EventAttr attr = {.sample_type = kIdentifier | kIp};
  file.event(attr).event(attr);
  file.plain(RecordType::kSample, 0, Bytes().u64(999).u64(1));
  const Read read = read_all(file);
  EXPECT_THAT(read.records, IsEmpty());
  EXPECT_EQ(read.counts.unknown_ids, 1u);
}

TEST(PerfData, CountsWhatTheKernelLost) {
  PerfDataBuilder file;
  file.event(kClock);
  file.record(RecordType::kLost, 0, Bytes().u64(1).u64(10), {});
  file.record(RecordType::kLost, 0, Bytes().u64(1).u64(5), {});
  file.record(RecordType::kLostSamples, 0, Bytes().u64(7), {});
  file.record(RecordType::kThrottle, 0, Bytes().u64(1).u64(1).u64(1), {});
  const PerfCounts counts = read_all(file).counts;
  EXPECT_EQ(counts.lost, 15u);
  EXPECT_EQ(counts.lost_samples, 7u);
  EXPECT_EQ(counts.throttles, 1u);
}

TEST(PerfData, SkipsInstructionTracesAndCountsTheirBytes) {
  PerfDataBuilder file;
  file.event(kClock).sample({.ip = 1, .time = 1});
  file.plain(RecordType::kAuxtrace, 0,
             Bytes().u64(16).u64(0).u64(0).u32(0).u32(0).u32(0).u32(0));
  file.garbage("trace trace ....");
  file.record(RecordType::kAux, 0, Bytes().u64(0).u64(16).u64(1), {.time = 2});
  file.sample({.ip = 3, .time = 3});
  const Read read = read_all(file);
  EXPECT_THAT(read.records, ElementsAre("1", "type 11", "3"));
  EXPECT_EQ(read.counts.aux_bytes, 16u);
  EXPECT_EQ(read.counts.aux_truncated, 1u);
}

TEST(PerfData, SkipsKindsThatItDoesNotKnowAndCountsThem) {
  PerfDataBuilder file;
  file.event(kClock);
  file.plain(static_cast<RecordType>(60), 0, Bytes().u64(1));
  file.plain(static_cast<RecordType>(120), 0, Bytes().u64(1));
  file.sample({.ip = 1, .time = 1});
  const Read read = read_all(file);
  EXPECT_THAT(read.records, ElementsAre("1"));
  EXPECT_EQ(read.counts.unknown_records, 2u);
}

TEST(PerfData, ContinuesAfterAPageOfZeros) {
  PerfDataBuilder file;
  file.event(kClock).sample({.ip = 1, .time = 1});
  file.garbage(std::string(4096, '\0'));
  file.sample({.ip = 2, .time = 2}).sample({.ip = 3, .time = 3});
  const Read read = read_all(file);
  EXPECT_THAT(read.records, ElementsAre("1", "2", "3"));
  EXPECT_EQ(read.counts.bad_records, 1u);
}

TEST(PerfData, OfAKilledRecorderIsReadToTheEnd) {
  PerfDataBuilder file;
  file.event(kClock).sample({.ip = 1, .time = 1});
  std::string bytes = file.build();
  bytes.replace(48, 8, std::string(8, '\0'));  // the size of the data
  const Read read = read_all(bytes);
  EXPECT_THAT(read.records, ElementsAre("1"));
  EXPECT_TRUE(read.counts.truncated);
}

TEST(PerfData, ThatIsCutOffCountsWhatIsMissing) {
  PerfDataBuilder file;
  file.event(kClock).sample({.ip = 1, .time = 1}).sample({.ip = 2, .time = 2});
  const std::string bytes = file.build();
  const Read read = read_all(bytes.substr(0, bytes.size() - 12));
  EXPECT_THAT(read.records, ElementsAre("1"));
  EXPECT_TRUE(read.counts.truncated);
  EXPECT_EQ(read.counts.missing_bytes, 12u);
}

TEST(PerfData, ACompressedStreamIsReadUpToItsDamage) {
  PerfDataBuilder file({.packing = Packing::kCompressed, .packed_size = 60000});
  file.event(kClock);
  for (std::uint64_t i = 1; i <= 30'000; ++i)
    file.sample({.ip = i * i * i * i, .time = i});
  std::string bytes = file.build();
  // Most of the third piece, with the beginning of a block of zstd's.
  std::fill(bytes.begin() + 122'000, bytes.begin() + 179'000, '\xff');
  const Read read = read_all(bytes);
  EXPECT_GT(read.counts.samples, 0u);
  EXPECT_LT(read.counts.samples, 30'000u);
  EXPECT_EQ(read.counts.damaged_streams, 1u);
}

TEST(PerfData, RecordsOfManyBlocksOfACompressedStreamStayWhole) {
  PerfDataBuilder file({.packing = Packing::kCompressed, .packed_size = 60000});
  file.event({.sample_type = kIp | kTime | kStackUser});
  const std::string stack(40'000, 's');
  for (std::uint64_t i = 1; i <= 200; ++i)
    file.sample({.ip = i, .time = 1000 - i, .user_stack = stack});
  InputFile input = file.input();
  PerfData data(input);
  PerfSample sample;
  std::uint64_t expected = 200;
  data.for_each_in_time_order([&](const PerfRecord& record) {
    ASSERT_TRUE(decode_sample(record, sample));
    EXPECT_EQ(sample.ip, expected--);
    EXPECT_EQ(sample.user_stack, stack);
  });
  EXPECT_EQ(expected, 0u);
}

TEST(PerfData, UnalignedRecordsAreCopied) {
  // COMPRESSED records may have any size, and others follow.
  PerfDataBuilder file({.packing = Packing::kCompressed, .packed_size = 13});
  file.event({.sample_type = kIp | kTime | kCallchain});
  file.sample({.ip = 1, .time = 1, .callchain = {5, 6}});
  Bytes sample;
  sample.u32(9).u16(2).u16(56).u64(2).u64(2).u64(3).u64(7).u64(8).u64(9);
  file.garbage(sample.str());
  InputFile input = file.input();
  PerfData data(input);
  PerfSample decoded;
  std::vector<std::uint64_t> sums;
  data.for_each_in_time_order([&](const PerfRecord& record) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(record.body.data()) % 8, 0u);
    ASSERT_TRUE(decode_sample(record, decoded));
    std::uint64_t sum = 0;
    for (const std::uint64_t ip : decoded.callchain) sum += ip;
    sums.push_back(sum);
  });
  EXPECT_THAT(sums, ElementsAre(11, 24));
}

TEST(PerfData, EventsOfDifferentLayoutsEachHaveTheirOwn) {
  PerfDataBuilder file;
  file.event({.sample_type = kIdentifier | kIp | kTime});
  file.event({.sample_type = kIdentifier | kIp | kTid | kTime});
  file.sample({.event = 1, .ip = 2, .tid = 77, .time = 20});
  file.sample({.event = 0, .ip = 1, .time = 10});
  EXPECT_THAT(read_all(file).records, ElementsAre("1", "2"));
}

TEST(PerfData, TheWindowIsBoundedAndLateRecordsAreCounted) {
  PerfDataBuilder file({.packing = Packing::kCompressed, .packed_size = 60000});
  file.event({.sample_type = kIp | kTime | kStackUser});
  std::string stack(60'000, 's');
  std::mt19937 random(1);
  for (std::uint64_t i = 1; i <= 1500; ++i) {  // 90 MB without a round
    for (std::size_t k = 0; k < 1000; ++k)
      stack[k] = static_cast<char>(random());
    file.sample({.ip = i, .time = 1000 + i, .user_stack = stack});
  }
  file.sample({.ip = 1, .time = 1});
  const PerfCounts counts = read_all(file).counts;
  EXPECT_EQ(counts.samples, 1501u);
  EXPECT_EQ(counts.out_of_order, 1u);
}

TEST(PerfData, ADirectorysPartsAreMergedByTime) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "perf_directory";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  PerfDataBuilder whole, part0, part1;
  whole.event(kClock, "clock").comm(1, 1, "start");
  part0.event(kClock).sample({.ip = 1, .time = 1}).sample({.ip = 4, .time = 4});
  part1.event(kClock).sample({.ip = 2, .time = 2}).sample({.ip = 3, .time = 3});
  write("data", whole.build());
  write("data.0", part0.records());
  write("data.1", part1.records());
  ASSERT_TRUE(PerfData::is_perf_directory(folder));
  PerfData data = PerfData::open_directory(folder);
  EXPECT_THAT(read_all(data).records, ElementsAre("start", "1", "2", "3", "4"));
  EXPECT_TRUE(data.header().is_directory);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace wick

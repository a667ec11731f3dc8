// SPDX-License-Identifier: Apache-2.0
// Records in, stacks out. Frames are shown as "file+offset", outermost first;
// no file of these tests exists, so addresses are offsets in it.
#include "perf/session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "builders/perf_data_builder.h"
#include "builders/test_folder.h"
#include "perf/off_cpu.h"

namespace wick {
namespace {

constexpr std::uint64_t kBase = sample_type::kIp | sample_type::kTid |
                                sample_type::kTime | sample_type::kPeriod;
constexpr EventAttr kChains{.sample_type = kBase | sample_type::kCallchain,
                            .flags = attr_flag::kSampleIdAll};

// "comm pid/tid: a.out+10;a.out+20 weight", one line a sample.
std::string shown(const Profile& profile, bool with_time = false) {
  std::string out;
  std::vector<FrameId> frames;
  for (const Sample& sample : profile.samples) {
    const Thread& thread = profile.threads[sample.thread];
    if (with_time) out += fmt::format("{} ", sample.time);
    out += fmt::format("{} {}/{}:", profile.strings[thread.comm], thread.pid,
                       thread.tid);
    profile.stacks.frames_of(sample.stack, frames);
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const Frame& frame = profile.frames[frames[i]];
      const std::string_view path =
          profile.strings[profile.modules[frame.module].path];
      const std::string_view function = profile.strings[frame.function];
      out += fmt::format(
          "{}{}", i == 0 ? " " : ";",
          function.empty()
              ? fmt::format("{}+{:x}", path.empty() ? "?" : path, frame.address)
              : std::string(function));
    }
    out += fmt::format(" {}\n", sample.weight);
  }
  return out;
}

Profile read(const PerfDataBuilder& file, const ReadOptions& options = {}) {
  InputFile input = file.input();
  PerfData data(input);
  DebugFiles files({});
  Images images(files);
  SessionResult result = read_session(data, images, options);
  sort_samples(result.profile);
  EXPECT_EQ(check(result.profile), "");
  return std::move(result.profile);
}

Bytes mmap(std::uint32_t pid, std::uint64_t start, std::uint64_t size,
           std::uint64_t offset, std::string_view path) {
  return Bytes().u32(pid).u32(pid).u64(start).u64(size).u64(offset).name(path);
}

Bytes task(std::uint32_t pid, std::uint32_t parent_pid, std::uint32_t tid,
           std::uint32_t parent_tid, std::uint64_t time) {
  return Bytes().u32(pid).u32(parent_pid).u32(tid).u32(parent_tid).u64(time);
}

PerfDataBuilder one_program() {
  PerfDataBuilder file;
  file.event(kChains, "cycles");
  file.comm(7, 7, "prog", 1);
  file.record(RecordType::kMmap, misc::kUser,
              mmap(7, 0x1000, 0x1000, 0x100, "/no/a.out"),
              {.pid = 7, .tid = 7, .time = 1});
  return file;
}

TEST(Session, AChainRunsFromTheOutermostCallerAndCallersLieInsideTheirCalls) {
  PerfDataBuilder file = one_program();
  file.sample({.ip = 0x1010,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 3,
               .callchain = {callchain::kUser, 0x1010, 0x1020, 0x1030}});
  EXPECT_EQ(shown(read(file)),
            "prog 7/7: /no/a.out+12f;/no/a.out+11f;/no/a.out+110 3\n");
}

TEST(Session, KernelFramesFollowTheUserFramesThatCalledThem) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kMmap, misc::kKernel,
              mmap(0xffffffff, 0xffff1000, 0x1000, 0xffff1000,
                   "[kernel.kallsyms]_text"),
              {});
  file.sample({.misc = misc::kKernel,
               .ip = 0xffff1010,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kKernel, 0xffff1010, 0xffff1020,
                             callchain::kUser, 0x1010, 0x1020}});
  EXPECT_EQ(shown(read(file)),
            "prog 7/7: /no/a.out+11f;/no/a.out+110;[kernel.kallsyms]+1f;"
            "[kernel.kallsyms]+10 1\n");
}

TEST(Session, WithoutAChainTheSampledAddressIsTheStack) {
  PerfDataBuilder file;
  file.event({.sample_type = kBase}, "cycles");
  file.sample({.ip = 0x1010, .pid = 7, .tid = 7, .time = 5, .period = 1});
  EXPECT_EQ(shown(read(file)), ":7 7/7: ?+1010 1\n");
}

TEST(Session, AnAddressOutsideOfAllMappingsKeepsItsPlaceInTheStack) {
  PerfDataBuilder file = one_program();
  file.sample({.pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010, 0x9999, 0x1030}});
  EXPECT_EQ(shown(read(file)),
            "prog 7/7: /no/a.out+12f;?+9998;/no/a.out+110 1\n");
}

TEST(Session, AMappingCountsFromItsTimeOn) {
  PerfDataBuilder file = one_program();
  const auto sample = [&](std::uint64_t time) {
    file.sample({.pid = 7,
                 .tid = 7,
                 .time = time,
                 .period = 1,
                 .callchain = {callchain::kUser, 0x1010}});
  };
  sample(5);
  file.record(RecordType::kMmap, misc::kUser,
              mmap(7, 0x1000, 0x1000, 0, "/no/b.so"),
              {.pid = 7, .tid = 7, .time = 6});
  sample(7);
  EXPECT_EQ(shown(read(file)),
            "prog 7/7: /no/a.out+110 1\nprog 7/7: /no/b.so+10 1\n");
}

TEST(Session, DataThatIsMappedOverCodeEndsIt) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kMmap, misc::kUser | misc::kMmapData,
              mmap(7, 0x1000, 0x1000, 0, "/no/data"),
              {.pid = 7, .tid = 7, .time = 4});
  file.sample({.pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  EXPECT_EQ(shown(read(file)), "prog 7/7: ?+1010 1\n");
}

TEST(Session, AForkedProcessHasTheMappingsAndTheNameOfItsParent) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kFork, 0, task(8, 7, 8, 7, 2),
              {.pid = 7, .tid = 7, .time = 2});
  file.sample({.pid = 8,
               .tid = 8,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  EXPECT_EQ(shown(read(file)), "prog 8/8: /no/a.out+110 1\n");
}

TEST(Session, AForkThatPerfMadeUpBringsNoMappings) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kFork, misc::kForkExec, task(8, 7, 8, 7, 2),
              {.pid = 7, .tid = 7, .time = 2});
  file.sample({.pid = 8,
               .tid = 8,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  EXPECT_EQ(shown(read(file)), "prog 8/8: ?+1010 1\n");
}

TEST(Session, AThreadSharesTheMappingsOfItsProcess) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kFork, 0, task(7, 7, 9, 7, 2),
              {.pid = 7, .tid = 7, .time = 2});
  file.comm(7, 9, "worker", 3);
  file.sample({.pid = 7,
               .tid = 9,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  EXPECT_EQ(shown(read(file)), "worker 7/9: /no/a.out+110 1\n");
}

PerfDataBuilder executed() {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kComm, misc::kCommExec,
              Bytes().u32(7).u32(7).name("other"),
              {.pid = 7, .tid = 7, .time = 3});
  file.record(RecordType::kMmap, misc::kUser,
              mmap(7, 0x5000, 0x1000, 0, "/no/other"),
              {.pid = 7, .tid = 7, .time = 4});
  return file;
}

TEST(Session, AnExecutedProgramStartsWithoutMappings) {
  PerfDataBuilder file = executed();
  file.sample({.misc = misc::kUser,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kUser, 0x5010, 0x1011}});
  EXPECT_EQ(shown(read(file)), "other 7/7: ?+1010;/no/other+10 1\n");
}

TEST(Session, WhileAProgramIsStartedStacksLeadToTheCallInTheOldOne) {
  PerfDataBuilder file = executed();
  file.sample({.misc = misc::kKernel,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kKernel, 0xffff1010, callchain::kUser,
                             0x1010}});
  EXPECT_EQ(shown(read(file)),
            "other 7/7: /no/a.out+110;[kernel.kallsyms]+ffff1010 1\n");
}

TEST(Session, AThreadThatEndedKeepsItsNameForWhatTheKernelDoesForIt) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kExit, 0, task(7, 1, 7, 1, 4),
              {.pid = 7, .tid = 7, .time = 4});
  file.sample({.misc = misc::kKernel,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kKernel, 0xffff1010}});
  EXPECT_EQ(shown(read(file)), "prog 7/7: [kernel.kallsyms]+ffff1010 1\n");
}

TEST(Session, APidThatIsUsedAgainStartsAnew) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kExit, 0, task(7, 1, 7, 1, 4),
              {.pid = 7, .tid = 7, .time = 4});
  file.record(RecordType::kFork, 0, task(7, 3, 7, 3, 5),
              {.pid = 3, .tid = 3, .time = 5});
  file.sample({.pid = 7,
               .tid = 7,
               .time = 6,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  EXPECT_EQ(shown(read(file)), ":3 7/7: ?+1010 1\n");
}

TEST(Session, ForksWithoutEndDoNotTakeMemoryWithoutEnd) {
  PerfDataBuilder file = one_program();
  for (std::uint32_t i = 0; i < 5000; ++i)
    file.record(RecordType::kMmap, misc::kUser,
                mmap(7, 0x100000 + 0x2000 * i, 0x1000, 0, "/no/a.out"),
                {.pid = 7, .tid = 7, .time = 2});
  for (std::uint32_t i = 0; i < 2000; ++i)
    file.record(RecordType::kFork, 0, task(1000 + i, 7, 1000 + i, 7, 3),
                {.pid = 7, .tid = 7, .time = 3});
  EXPECT_GT(read(file).diagnostics.count(Problem::kBadRecord), 1000u);
}

TEST(Session, TwoProcessesMayHaveDifferentFilesAtOneAddress) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kMmap, misc::kUser,
              mmap(8, 0x1000, 0x1000, 0, "/no/b.out"),
              {.pid = 8, .tid = 8, .time = 1});
  for (const std::uint32_t pid : {7u, 8u})
    file.sample({.pid = pid,
                 .tid = pid,
                 .time = 5,
                 .period = 1,
                 .callchain = {callchain::kUser, 0x1010}});
  EXPECT_EQ(shown(read(file)),
            "prog 7/7: /no/a.out+110 1\n:8 8/8: /no/b.out+10 1\n");
}

TEST(Session, ABpfProgramIsAFrameByItsName) {
  PerfDataBuilder file = one_program();
  file.record(
      RecordType::kKsymbol, 0,
      Bytes().u64(0xffff5000).u32(0x100).u16(1).u16(0).name("bpf_prog_1_count"),
      {.time = 2});
  file.sample({.misc = misc::kKernel,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kKernel, 0xffff5010}});
  EXPECT_EQ(shown(read(file)), "prog 7/7: bpf_prog_1_count 1\n");
}

TEST(Session, CallsThatTheCpuRecordedAreTheUserPart) {
  PerfDataBuilder file;
  EventAttr attr = kChains;
  attr.sample_type |= sample_type::kBranchStack;
  attr.branch_sample_type = branch_type::kCallStack;
  file.event(attr, "cycles");
  file.sample({.ip = 0x3005,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .branches = {0x2000, 0x3000, 0, 0x1000, 0x2fff, 0}});
  EXPECT_EQ(shown(read(file)), ":7 7/7: ?+1000;?+2000;?+3005 1\n");
}

TEST(Session, AUserPartThatComesLaterIsJoinedByItsCookie) {
  PerfDataBuilder file = one_program();
  file.sample({.misc = misc::kKernel,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kKernel, 0xffff1010,
                             callchain::kUserDeferred, 42}});
  file.record(
      RecordType::kCallchainDeferred, misc::kUser,
      Bytes().u64(42).u64(3).u64(callchain::kUser).u64(0x1010).u64(0x1020),
      {.pid = 7, .tid = 7, .time = 6});
  EXPECT_EQ(shown(read(file)),
            "prog 7/7: /no/a.out+11f;/no/a.out+110;[kernel.kallsyms]+ffff1010 "
            "1\n");
}

TEST(Session, ASampleWhoseUserPartNeverComesIsKept) {
  PerfDataBuilder file = one_program();
  file.sample({.misc = misc::kKernel,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kKernel, 0xffff1010,
                             callchain::kUserDeferred, 42}});
  EXPECT_EQ(shown(read(file)), "prog 7/7: [kernel.kallsyms]+ffff1010 1\n");
}

TEST(Session, APeriodOf0CountsOnceAndIsSaid) {
  PerfDataBuilder file = one_program();
  file.sample(
      {.pid = 7, .tid = 7, .time = 5, .callchain = {callchain::kUser, 0x1010}});
  const Profile profile = read(file);
  EXPECT_EQ(shown(profile), "prog 7/7: /no/a.out+110 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kZeroWeight), 1u);
}

TEST(Session, StacksOfAsManyFramesAsTheKernelFollowsAreSaid) {
  PerfDataBuilder file = one_program();
  for (const std::size_t frames : {126, 127, 127, 128}) {
    std::vector<std::uint64_t> chain{callchain::kUser};
    chain.resize(1 + frames, 0x1010);
    file.sample({.pid = 7, .tid = 7, .time = 5, .callchain = chain});
  }
  EXPECT_EQ(read(file).diagnostics.count(Problem::kCallchainLimit), 2u);
}

TEST(Session, HowManyFramesTheKernelFollowsIsSaidByTheEvent) {
  PerfDataBuilder file;
  EventAttr attr = kChains;
  attr.sample_max_stack = 3;
  file.event(attr, "cycles");
  for (const std::size_t frames : {3, 127}) {
    std::vector<std::uint64_t> chain{callchain::kUser};
    chain.resize(1 + frames, 0x1010);
    file.sample({.pid = 7, .tid = 7, .time = 5, .callchain = chain});
  }
  EXPECT_EQ(read(file).diagnostics.count(Problem::kCallchainLimit), 1u);
}

TEST(Session, LostSamplesAreSaid) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kLost, 0, Bytes().u64(1).u64(12), {.time = 3});
  EXPECT_EQ(read(file).diagnostics.count(Problem::kLostSamples), 12u);
}

TEST(Session, AGroupThatIsReadTogetherGivesEveryMemberItsCount) {
  PerfDataBuilder file;
  EventAttr attr = kChains;
  attr.sample_type |= sample_type::kRead | sample_type::kIdentifier;
  attr.read_format = read_format::kGroup | read_format::kId;
  file.event(attr, "cycles");
  file.event(attr, "faults");
  const auto sample = [&](std::uint64_t time, std::uint64_t cycles,
                          std::uint64_t faults) {
    file.sample({.pid = 7,
                 .tid = 7,
                 .time = time,
                 .period = 1,
                 .read = {2, cycles, file.id(0), faults, file.id(1)},
                 .callchain = {callchain::kUser, 0x1010}});
  };
  sample(5, 100, 2);
  sample(6, 130, 2);
  sample(7, 150, 3);
  const Profile profile = read(file);
  EXPECT_EQ(total_weight(profile, EventId{0}), 150);
  EXPECT_EQ(total_weight(profile, EventId{1}), 3);
  EXPECT_EQ(profile.samples.size(), 5u);  // a count of 0 is no sample
}

// --- Compiled at run time --------------------------------------------------

// A process that is not there any more.
constexpr std::uint32_t kGone = 0x3ffffff7;

TEST(SessionJit, CodeWithoutAFileHasTheNamesOfThePerfMap) {
  const std::string map = fmt::format("/tmp/perf-{}.map", kGone);
  std::ofstream(map) << "5000 100 JS:*hot app.js:1:2\n";
  PerfDataBuilder file;
  file.event(kChains, "cycles");
  file.record(RecordType::kMmap, misc::kUser,
              mmap(kGone, 0x5000, 0x1000, 0, "//anon"), {.time = 1});
  file.sample({.pid = kGone,
               .tid = kGone,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kUser, 0x5010}});
  const Profile profile = read(file);
  std::filesystem::remove(map);
  ASSERT_EQ(profile.samples.size(), 1u);
  const Frame& frame =
      profile.frames[profile.stacks.frame(profile.samples[0].stack)];
  EXPECT_EQ(profile.strings[frame.function], "JS:*hot app.js:1:2");
  EXPECT_EQ(frame.kind, FrameKind::kJit);
}

TEST(SessionJit, AnAddressHasTheNameThatAJitdumpGivesItAtThatTime) {
  const TestFolder folder;
  const std::string path = folder.path() + "/jit-7.dump";
  Bytes dump;
  dump.u32(0x4A695444).u32(1).u32(40).u32(62).u32(0).u32(kGone).u64(0).u64(0);
  const auto load = [&](std::uint64_t time, std::string_view name) {
    dump.u32(0).u32(static_cast<std::uint32_t>(16 + 40 + name.size() + 1 + 1));
    dump.u64(time).u32(kGone).u32(kGone).u64(0).u64(0x5000).u64(1).u64(0);
    dump.bytes(name).u8(0).u8(0xc3);
  };
  load(2, "first");
  load(10, "second");
  std::ofstream(path, std::ios::binary) << dump.str();

  PerfDataBuilder file;
  EventAttr attr = kChains;
  attr.flags |= attr_flag::kUseClockid;
  attr.clockid = 1;
  file.event(attr, "cycles");
  file.record(RecordType::kMmap, misc::kUser,
              mmap(kGone, 0x9000, 0x1000, 0, path), {.time = 1});
  for (const std::uint64_t time : {5, 15})
    file.sample({.pid = kGone,
                 .tid = kGone,
                 .time = time,
                 .period = 1,
                 .callchain = {callchain::kUser, 0x5000}});
  EXPECT_EQ(
      shown(read(file)),
      fmt::format(":{0} {0}/{0}: first 1\n:{0} {0}/{0}: second 1\n", kGone));
}

TEST(Session, TimesThatTheKernelPausedAreNoted) {
  PerfDataBuilder file = one_program();
  for (const std::uint64_t time : {5, 6})
    file.record(RecordType::kThrottle, 0, Bytes().u64(time).u64(1).u64(1),
                {.pid = 7, .tid = 7, .time = time});
  EXPECT_EQ(read(file).diagnostics.count(Problem::kThrottled), 2u);
}

// --- Off the CPU -----------------------------------------------------------

PerfDataBuilder with_switches() {
  PerfDataBuilder file;
  file.event({.type = event_type::kSoftware,
              .config = 3,
              .sample_period = 1,
              .sample_type = kChains.sample_type,
              .flags = attr_flag::kSampleIdAll | attr_flag::kContextSwitch},
             "context-switches");
  file.comm(7, 7, "prog", 1);
  file.sample({.pid = 7,
               .tid = 7,
               .time = 100,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = 7, .time = 101});
  return file;
}

// Of one event.
std::string only(std::string_view event, const PerfDataBuilder& file) {
  Profile profile = read(file);
  std::erase_if(profile.samples, [&](const Sample& sample) {
    return profile.strings[profile.events[sample.event].name] != event;
  });
  return shown(profile, true);
}
std::string off_cpu(const PerfDataBuilder& file) {
  return only(OffCpu::kEvent, file);
}

TEST(SessionOffCpu, TheTimeBetweenOutAndInIsOnTheStackOfTheSwitch) {
  PerfDataBuilder file = with_switches();
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 161});
  EXPECT_EQ(off_cpu(file), "101 prog 7/7: ?+1010 60\n");
}

TEST(SessionOffCpu, AThreadThatCouldHaveGoneOnIsKeptApart) {
  PerfDataBuilder file = with_switches();
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 161});
  file.record(RecordType::kSwitch, misc::kSwitchOut | misc::kSwitchOutPreempt,
              Bytes(), {.pid = 7, .tid = 7, .time = 170});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 175});
  EXPECT_EQ(off_cpu(file),
            "101 prog 7/7: ?+1010 60\n170 prog 7/7: ?+1010;[preempted] 5\n");
}

// The fields of sched_switch that matter here.
constexpr std::string_view kSchedSwitch = R"(name: sched_switch
ID: 321
format:
	field:pid_t prev_pid;	offset:8;	size:4;	signed:1;
	field:long prev_state;	offset:16;	size:8;	signed:1;
	field:pid_t next_pid;	offset:24;	size:4;	signed:1;
)";

PerfDataBuilder with_sched_switch() {
  PerfDataBuilder file;
  file.event({.type = event_type::kTracepoint,
              .config = 321,
              .sample_period = 1,
              .sample_type = kChains.sample_type | sample_type::kRaw,
              .flags = attr_flag::kSampleIdAll},
             "sched:sched_switch");
  file.feature(Feature::kTracingData,
               Bytes().bytes(encode_tracing_data({{"sched", kSchedSwitch}})));
  return file;
}

PerfDataBuilder::Sample sched_switch(std::uint64_t time, std::uint32_t pid,
                                     std::uint32_t tid, std::uint64_t state,
                                     std::uint32_t to) {
  return {.pid = pid,
          .tid = tid,
          .time = time,
          .period = 1,
          .callchain = {callchain::kUser, 0x1010},
          .raw = Bytes()
                     .u64(0)
                     .u32(tid)
                     .u32(0)
                     .u64(state)
                     .u32(to)
                     .bytes(std::string(8, '\0'))
                     .str()};
}

TEST(SessionOffCpu, SchedSwitchAloneTellsWhoLeavesWhyAndWhoComes) {
  PerfDataBuilder file = with_sched_switch();
  file.sample(sched_switch(100, 7, 7, 1, 8));
  file.sample(sched_switch(120, 8, 8, 2, 7));
  file.sample(sched_switch(150, 7, 7, 0, 8));
  file.sample(sched_switch(190, 8, 8, 1, 7));
  EXPECT_EQ(off_cpu(file),
            "100 :7 7/7: ?+1010;[blocked] 20\n"
            "120 :8 8/8: ?+1010;[in I/O] 30\n"
            "150 :7 7/7: ?+1010;[preempted] 40\n");
}

TEST(SessionOffCpu, WithoutASampleOfTheSwitchTheLastOneSaysRoughlyWhere) {
  PerfDataBuilder file;
  file.event(kChains, "cycles");
  file.comm(7, 7, "prog", 1);
  file.sample({.pid = 7,
               .tid = 7,
               .time = 90,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = 7, .time = 100});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 150});
  EXPECT_EQ(off_cpu(file),
            "100 prog 7/7: ?+1010;[off the CPU, near here] 50\n");
}

TEST(SessionOffCpu, AThreadThatStillSleepsIsCountedToTheEnd) {
  PerfDataBuilder file = with_switches();
  file.comm(9, 9, "late", 200);
  EXPECT_EQ(off_cpu(file), "101 prog 7/7: ?+1010 99\n");
}

TEST(SessionOffCpu, AThreadThatEndedDoesNotSleep) {
  PerfDataBuilder file = with_switches();
  file.record(RecordType::kExit, 0, task(7, 1, 7, 1, 150),
              {.pid = 7, .tid = 7, .time = 150});
  EXPECT_EQ(off_cpu(file), "");
}

// The kernel takes a thread's number back before its last switch.
constexpr std::uint32_t kNoTid = 0xffffffff;

TEST(SessionOffCpu, AThreadWithoutANumberLeavesForGood) {
  PerfDataBuilder file = with_switches();
  file.record(RecordType::kExit, 0, task(7, 1, 7, 1, 150),
              {.pid = 7, .tid = 7, .time = 150});
  file.sample({.pid = 7,
               .tid = kNoTid,
               .time = 152,
               .period = 1,
               .callchain = {callchain::kUser, 0x1020}});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = kNoTid, .time = 153});
  file.comm(9, 9, "late", 300);
  EXPECT_EQ(off_cpu(file), "");
}

TEST(SessionOffCpu, TheIdleTaskDoesNotWait) {
  PerfDataBuilder file = with_sched_switch();
  file.sample(sched_switch(100, 0, 0, 0, 7));
  file.sample(sched_switch(110, 7, 7, 1, 0));
  file.sample(sched_switch(150, 0, 0, 0, 7));
  file.comm(9, 9, "late", 300);
  EXPECT_EQ(off_cpu(file), "110 :7 7/7: ?+1010;[blocked] 40\n");
}

TEST(SessionOffCpu, BySchedSwitchAloneWhoHasEndedLeavesForGoodToo) {
  PerfDataBuilder file = with_sched_switch();
  file.sample(sched_switch(100, 7, 7, 1, 8));
  file.record(RecordType::kExit, 0, task(8, 1, 8, 1, 110),
              {.pid = 8, .tid = 8, .time = 110});
  file.sample(sched_switch(120, 8, 8, 128, 9));
  file.sample(sched_switch(130, 9, kNoTid, 128, 7));
  file.comm(9, 9, "late", 300);
  EXPECT_EQ(off_cpu(file), "100 :7 7/7: ?+1010;[blocked] 30\n");
}

TEST(SessionOffCpu, TimesThatPerfMadeUpDoNotStretchTheRecording) {
  PerfDataBuilder file;
  file.event(kChains, "offcpu-time");
  file.comm(7, 7, "prog", 50);
  file.sample({.pid = 7,
               .tid = 7,
               .time = 0xffffffff00000001,
               .period = 1000,
               .callchain = {callchain::kUser, 0x1010}});
  EXPECT_EQ(off_cpu(file), "50 prog 7/7: ?+1010 1000\n");
}

// A thread that is there when the recording begins, at 100, and ends at 300.
PerfDataBuilder found_thread() {
  PerfDataBuilder file;
  file.event(kChains, "cycles");
  file.record(RecordType::kFork, misc::kForkExec, task(7, 1, 7, 1, 100),
              {.pid = 7, .tid = 7, .time = 100});
  file.comm(7, 7, "prog", 100);
  return file;
}

TEST(SessionOffCpu, AThreadThatIsFirstSeenComingBackWasOffFromTheStart) {
  PerfDataBuilder file = found_thread();
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 170});
  EXPECT_EQ(off_cpu(file),
            "100 prog 7/7: [off the CPU since before the recording] 70\n");
}

TEST(SessionOffCpu, AThreadThatIsNeverSeenWasOffAllTheTime) {
  PerfDataBuilder file = found_thread();
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 9, .tid = 9, .time = 300});
  EXPECT_EQ(off_cpu(file),
            "100 prog 7/7: [off the CPU since before the recording] 200\n");
}

TEST(SessionOffCpu, ThoseWhoAllSleepAllTheTimeAreOffAllTheTime) {
  PerfDataBuilder file;
  EventAttr attr = kChains;
  attr.flags |= attr_flag::kContextSwitch;
  file.event(attr, "cycles");
  file.record(RecordType::kFork, misc::kForkExec, task(7, 1, 7, 1, 100),
              {.pid = 7, .tid = 7, .time = 100});
  file.comm(7, 7, "prog", 100);
  file.record(RecordType::kLostSamples, 0, Bytes().u64(0), {.time = 300});
  EXPECT_EQ(off_cpu(file),
            "100 prog 7/7: [off the CPU since before the recording] 200\n");
}

TEST(SessionOffCpu, ANewThreadWaitsUntilItRuns) {
  PerfDataBuilder file;
  file.event(kChains, "cycles");
  file.comm(7, 7, "prog", 50);
  file.record(RecordType::kFork, 0, task(7, 7, 8, 7, 100),
              {.pid = 7, .tid = 7, .time = 100});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 8, .time = 130});
  EXPECT_EQ(off_cpu(file), "100 prog 7/8: [waits for its first run] 30\n");
}

TEST(SessionOffCpu, AThreadThatIsFirstSeenRunningOrLeavingWasOnTheCpu) {
  PerfDataBuilder sampled = found_thread();
  sampled.sample({.pid = 7, .tid = 7, .time = 150, .period = 1});
  sampled.record(RecordType::kSwitch, 0, Bytes(),
                 {.pid = 9, .tid = 9, .time = 300});
  EXPECT_EQ(off_cpu(sampled), "");
  PerfDataBuilder leaving = found_thread();
  leaving.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
                 {.pid = 7, .tid = 7, .time = 150});
  leaving.record(RecordType::kSwitch, 0, Bytes(),
                 {.pid = 7, .tid = 7, .time = 160});
  EXPECT_EQ(off_cpu(leaving), "150 prog 7/7: [off the CPU, near here] 10\n");
}

TEST(SessionOffCpu, WithoutSwitchesNobodyKnowsWhoSleeps) {
  PerfDataBuilder file = found_thread();
  file.comm(9, 9, "late", 300);
  EXPECT_EQ(off_cpu(file), "");
}

// --- Wall-clock time -------------------------------------------------------

// A thread that begins at 100, samples at 110 and 120, sleeps from 130 to 170,
// and ends at 200.
PerfDataBuilder a_life() {
  PerfDataBuilder file;
  file.event(kChains, "cycles");
  file.record(RecordType::kFork, 0, task(7, 1, 7, 1, 100),
              {.pid = 1, .tid = 1, .time = 100});
  for (const std::uint64_t time : {110, 120})
    file.sample({.pid = 7,
                 .tid = 7,
                 .time = time,
                 .period = 1,
                 .callchain = {callchain::kUser, 0x1000 + time}});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = 7, .time = 130});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 170});
  file.record(RecordType::kExit, 0, task(7, 1, 7, 1, 200),
              {.pid = 7, .tid = 7, .time = 200});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = 7, .time = 201});
  file.comm(9, 9, "late", 300);
  return file;
}

TEST(SessionWallTime, SamplesShareTheTimeOnTheCpuAndThePausesAreTheRest) {
  EXPECT_EQ(only(WallTime::kEvent, a_life()),
            "100 :1 7/7: ?+106e 30\n"
            "100 :1 7/7: ?+1078 30\n"
            "130 :1 7/7: ?+1078;[off the CPU, near here] 40\n");
}

TEST(SessionWallTime, TimeWithoutASampleIsAFrameOfItsOwn) {
  PerfDataBuilder file;
  file.event(kChains, "cycles");
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 100});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = 7, .time = 160});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 165});
  EXPECT_EQ(only(WallTime::kEvent, file),
            "100 :7 7/7: [on the CPU, not sampled] 60\n"
            "160 :7 7/7: [off the CPU, near here] 5\n");
}

TEST(SessionWallTime, ASampleOfAThreadWithoutANumberCountsAsASampleAlone) {
  PerfDataBuilder file = a_life();
  const std::string before = only(WallTime::kEvent, file);
  file.sample({.pid = 7,
               .tid = kNoTid,
               .time = 202,
               .period = 1,
               .callchain = {callchain::kUser, 0x1020}});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = kNoTid, .time = 203});
  EXPECT_EQ(only(WallTime::kEvent, file), before);
  EXPECT_NE(only("cycles", file).find("202 :1 7/-1: ?+1020 1\n"),
            std::string::npos);
}

TEST(SessionWallTime, TheIdleTaskHasNone) {
  PerfDataBuilder file = a_life();
  const std::string before = only(WallTime::kEvent, file);
  file.sample({.pid = 0, .tid = 0, .time = 102, .period = 1});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 0, .tid = 0, .time = 103});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 0, .tid = 0, .time = 190});
  EXPECT_EQ(only(WallTime::kEvent, file), before);
}

TEST(SessionWallTime, WithoutSwitchRecordsThereIsNone) {
  PerfDataBuilder file = one_program();
  file.sample({.pid = 7, .tid = 7, .time = 5, .period = 1});
  EXPECT_EQ(only(WallTime::kEvent, file), "");
}

}  // namespace
}  // namespace wick

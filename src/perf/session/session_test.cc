// SPDX-License-Identifier: Apache-2.0
#include "perf/session/session.h"

#include <filesystem>
#include <fstream>

#include "builders/session_text.h"
#include "builders/test_folder.h"

namespace wick {
namespace {

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

// User code only: of an event in the kernel, only the user part counts.
TEST(Session, AnExcludedKernelIsNotInTheStack) {
  PerfDataBuilder file;
  file.event(
      {.sample_type = kChains.sample_type,
       .flags = attr_flag::kSampleIdAll | attr_flag::kExcludeCallchainKernel},
      "context-switches");
  file.comm(7, 7, "prog", 1);
  file.sample({.misc = misc::kKernel,
               .ip = 0xffffffff81000000,
               .pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1});
  EXPECT_EQ(shown(read(file)), "prog 7/7: 1\n");
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

TEST(Session, ADeletedFileKeepsItsName) {
  PerfDataBuilder file = one_program();
  file.record(RecordType::kMmap, misc::kUser,
              mmap(7, 0x1000, 0x1000, 0, "/no/b.so (deleted)"),
              {.pid = 7, .tid = 7, .time = 4});
  file.sample({.pid = 7,
               .tid = 7,
               .time = 5,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  EXPECT_EQ(shown(read(file)), "prog 7/7: /no/b.so+10 1\n");
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

TEST(Session, APeriodOf0CountsOnceAndIsNoted) {
  PerfDataBuilder file = one_program();
  file.sample(
      {.pid = 7, .tid = 7, .time = 5, .callchain = {callchain::kUser, 0x1010}});
  const Profile profile = read(file);
  EXPECT_EQ(shown(profile), "prog 7/7: /no/a.out+110 1\n");
  EXPECT_EQ(profile.diagnostics.count(Problem::kZeroWeight), 1u);
}

TEST(Session, StacksAtTheLimitOfTheKernelAreNoted) {
  PerfDataBuilder file = one_program();
  for (const std::size_t frames : {126, 127, 127, 128}) {
    std::vector<std::uint64_t> chain{callchain::kUser};
    chain.resize(1 + frames, 0x1010);
    file.sample({.pid = 7, .tid = 7, .time = 5, .callchain = chain});
  }
  EXPECT_EQ(read(file).diagnostics.count(Problem::kCallchainLimit), 2u);
}

TEST(Session, StacksOfWakersAtTheLimitAreNotedAsTheirs) {
  PerfDataBuilder file;
  file.event(kChains, "sched:sched_waking");
  std::vector<std::uint64_t> chain{callchain::kUser};
  chain.resize(1 + 127, 0x1010);
  file.sample({.pid = 7, .tid = 7, .time = 5, .callchain = chain});
  const Diagnostics noted = read(file).diagnostics;
  EXPECT_EQ(noted.count(Problem::kCallchainLimit), 0u);
  EXPECT_EQ(noted.count(Problem::kWakersLimit), 1u);
  EXPECT_TRUE(info(Problem::kWakersLimit).helps.empty());
}

TEST(Session, TheLimitOfTheKernelIsTheEvents) {
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

TEST(Session, LostSamplesAreNoted) {
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

// A process that has ended.
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

}  // namespace
}  // namespace wick

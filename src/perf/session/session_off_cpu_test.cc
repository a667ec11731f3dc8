// SPDX-License-Identifier: Apache-2.0
// Time off the CPU, and all time, of a recording's threads.
#include <vector>

#include "builders/session_text.h"
#include "perf/session/off_cpu.h"
#include "perf/session/process.h"

namespace wick {
namespace {

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
  return only(kOffCpuEventName, file);
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
  file.sample({.pid = 7,
               .tid = 7,
               .time = 169,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  file.record(RecordType::kSwitch, misc::kSwitchOut | misc::kSwitchOutPreempt,
              Bytes(), {.pid = 7, .tid = 7, .time = 170});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 175});
  EXPECT_EQ(off_cpu(file),
            "101 prog 7/7: ?+1010 60\n170 prog 7/7: ?+1010;[preempted] 5\n");
}

// The fields of sched_switch that matter here.
constexpr std::string_view kSwitchFields = R"(name: sched_switch
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
               Bytes().bytes(encode_tracing_data({{"sched", kSwitchFields}})));
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

TEST(SessionOffCpu, EventsSayWhichTimeTheyAre) {
  PerfDataBuilder file;
  file.event(kChains, "cycles");
  file.comm(7, 7, "prog", 1);
  file.sample({.pid = 7, .tid = 7, .time = 90, .period = 1});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = 7, .time = 100});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 150});
  const Profile profile = read(file);
  std::vector<TimeKind> times;
  for (const Event& event : profile.events) times.push_back(event.time);
  EXPECT_EQ(times, (std::vector{TimeKind::kOnCpu, TimeKind::kOffCpu,
                                TimeKind::kWall}));
}

TEST(SessionOffCpu, SchedSwitchAloneHasBothThreadsAndTheReason) {
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

TEST(SessionOffCpu, WithoutASampleOfTheSwitchTheLastOneIsUsed) {
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

// Without the right to sample switches, only threads that sleep when the
// recording begins have a sample of where.
TEST(SessionOffCpu, WithoutThatRightAThreadThatWasLookedAtHasItsPlace) {
  PerfDataBuilder file;
  file.event({.type = event_type::kSoftware,
              .config = 3,
              .sample_period = 1,
              .sample_type = kChains.sample_type,
              .flags = attr_flag::kSampleIdAll | attr_flag::kContextSwitch |
                       attr_flag::kExcludeKernel},
             "context-switches");
  file.comm(7, 7, "prog", 1);
  file.record(RecordType::kFork, misc::kForkExec,
              Bytes().u32(7).u32(7).u32(7).u32(7).u64(90),
              {.pid = 7, .tid = 7, .time = 90});
  file.sample({.pid = 7,
               .tid = 7,
               .time = 100,
               .period = 1,
               .callchain = {callchain::kUser, 0x1010}});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 150});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = 7, .time = 160});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 170});
  EXPECT_EQ(off_cpu(file),
            "90 prog 7/7: ?+1010 60\n"
            "160 prog 7/7: ?+1010;[off the CPU, near here] 10\n");
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
TEST(SessionOffCpu, AThreadWithoutANumberLeavesForGood) {
  PerfDataBuilder file = with_switches();
  file.record(RecordType::kExit, 0, task(7, 1, 7, 1, 150),
              {.pid = 7, .tid = 7, .time = 150});
  file.sample({.pid = 7,
               .tid = Task::kNoTid,
               .time = 152,
               .period = 1,
               .callchain = {callchain::kUser, 0x1020}});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = Task::kNoTid, .time = 153});
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
  file.sample(sched_switch(130, 9, Task::kNoTid, 128, 7));
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

// A thread that exists when the recording begins, at 100, and ends at 300.
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

// A thread that existed before, in a recording of switches.
PerfDataBuilder found_asleep(std::uint64_t looked_at) {
  PerfDataBuilder file = with_sched_switch();
  EventAttr attr = kChains;
  attr.flags |= attr_flag::kContextSwitch;
  file.event(attr, "cycles");
  file.record(RecordType::kFork, misc::kForkExec, task(7, 1, 7, 1, 100),
              {.pid = 7, .tid = 7, .time = 100});
  file.comm(7, 7, "prog", 100);
  file.sample(sched_switch(looked_at, 7, 7, 1, 0));
  return file;
}

TEST(SessionOffCpu, AThreadThatWasLookedAtSleepsThereFromTheStart) {
  PerfDataBuilder file = found_asleep(110);
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 170});
  EXPECT_EQ(off_cpu(file), "100 prog 7/7: ?+1010;[blocked] 70\n");
}

TEST(SessionOffCpu, AThreadThatWasLookedAtSleepsThereToTheEnd) {
  PerfDataBuilder file = found_asleep(110);
  file.record(RecordType::kLostSamples, 0, Bytes().u64(0), {.time = 300});
  EXPECT_EQ(off_cpu(file), "100 prog 7/7: ?+1010;[blocked] 200\n");
}

TEST(SessionOffCpu, ATidThatIsUsedAgainHasNotThePlaceOfTheOldThread) {
  PerfDataBuilder file = found_asleep(110);
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 170});
  file.record(RecordType::kExit, 0, task(7, 1, 7, 1, 180),
              {.pid = 7, .tid = 7, .time = 180});
  file.record(RecordType::kFork, misc::kForkExec, task(7, 1, 7, 1, 190),
              {.pid = 7, .tid = 7, .time = 190});
  file.comm(7, 7, "prog", 190);
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 200});
  EXPECT_EQ(off_cpu(file),
            "100 prog 7/7: ?+1010;[blocked] 70\n"
            "190 prog 7/7: [off the CPU since before the recording] 10\n");
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

TEST(SessionOffCpu, ASwitchWhoseSampleWasLostIsAPauseToo) {
  PerfDataBuilder file = with_switches();
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 8, .tid = 8, .time = 150});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 8, .tid = 8, .time = 170});
  EXPECT_NE(off_cpu(file).find("150 :8 8/8: [off the CPU, not sampled] 20\n"),
            std::string::npos);
}

TEST(SessionOffCpu, ASwitchWhoseSampleWasLostHasNotThePlaceOfTheOneBefore) {
  PerfDataBuilder file = with_switches();
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 161});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = 7, .time = 170});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 7, .tid = 7, .time = 190});
  EXPECT_EQ(off_cpu(file),
            "101 prog 7/7: ?+1010 60\n"
            "170 prog 7/7: [off the CPU, not sampled] 20\n");
}

TEST(SessionOffCpu, WithoutSwitchesSleepersAreUnknown) {
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
  EXPECT_EQ(only(kWallEventName, a_life()),
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
  EXPECT_EQ(only(kWallEventName, file),
            "100 :7 7/7: [on the CPU, not sampled] 60\n"
            "160 :7 7/7: [off the CPU, near here] 5\n");
}

TEST(SessionWallTime, ASampleOfAThreadWithoutANumberCountsAsASampleAlone) {
  PerfDataBuilder file = a_life();
  const std::string before = only(kWallEventName, file);
  file.sample({.pid = 7,
               .tid = Task::kNoTid,
               .time = 202,
               .period = 1,
               .callchain = {callchain::kUser, 0x1020}});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 7, .tid = Task::kNoTid, .time = 203});
  EXPECT_EQ(only(kWallEventName, file), before);
  EXPECT_NE(only("cycles", file).find("202 :1 7/-1: ?+1020 1\n"),
            std::string::npos);
}

TEST(SessionWallTime, TheIdleTaskHasNone) {
  PerfDataBuilder file = a_life();
  const std::string before = only(kWallEventName, file);
  file.sample({.pid = 0, .tid = 0, .time = 102, .period = 1});
  file.record(RecordType::kSwitch, misc::kSwitchOut, Bytes(),
              {.pid = 0, .tid = 0, .time = 103});
  file.record(RecordType::kSwitch, 0, Bytes(),
              {.pid = 0, .tid = 0, .time = 190});
  EXPECT_EQ(only(kWallEventName, file), before);
}

TEST(SessionWallTime, WithoutSwitchRecordsThereIsNone) {
  PerfDataBuilder file = one_program();
  file.sample({.pid = 7, .tid = 7, .time = 5, .period = 1});
  EXPECT_EQ(only(kWallEventName, file), "");
}

}  // namespace
}  // namespace wick

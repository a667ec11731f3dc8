// SPDX-License-Identifier: Apache-2.0
// Thread 7 waits, thread 8 or an interrupt wakes it. Stacks are shown by the
// addresses of their frames.
#include "perf/session/wakers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "builders/perf_data_builder.h"
#include "perf/recording/recorded_threads.h"
#include "perf/session/off_cpu.h"
#include "perf/session/session.h"

namespace wick {
namespace {

constexpr std::string_view kSchedSwitch = R"(name: sched_switch
ID: 321
format:
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:long prev_state;	offset:8;	size:8;	signed:1;
	field:pid_t next_pid;	offset:16;	size:4;	signed:1;
)";
constexpr std::string_view kSchedWaking = R"(name: sched_waking
ID: 322
format:
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:pid_t pid;	offset:8;	size:4;	signed:1;
)";

std::string tracing_data() {
  return encode_tracing_data(
      {{"sched", kSchedSwitch}, {"sched", kSchedWaking}});
}

class WakersTest : public testing::Test {
 protected:
  WakersTest() {
    for (const auto& [config, name] :
         {std::pair{321, "sched:sched_switch"}, {322, "sched:sched_waking"}})
      file_.event({.type = event_type::kTracepoint,
                   .config = static_cast<std::uint64_t>(config),
                   .sample_period = 1,
                   .sample_type = sample_type::kIdentifier | sample_type::kIp |
                                  sample_type::kTid | sample_type::kTime |
                                  sample_type::kPeriod |
                                  sample_type::kCallchain | sample_type::kRaw,
                   .flags = attr_flag::kSampleIdAll},
                  name);
    file_.feature(Feature::kTracingData, Bytes().bytes(tracing_data()));
    for (const std::uint32_t tid : {7, 8, 9})
      file_.comm(tid, tid, fmt::format("t{}", tid), 1);
  }

  // `tid` leaves the CPU to `next`.
  void change(std::uint64_t time, std::uint32_t tid, std::uint64_t state,
              std::uint32_t next) {
    sample(321, time, tid, {callchain::kUser, 0x1000 + tid},
           Bytes().u64(0).u64(state).u32(next).bytes(std::string(8, '\0')));
  }
  void wake(std::uint64_t time, std::uint32_t waker, std::uint32_t woken,
            std::uint32_t flags = 0) {
    sample(322, time, waker,
           {callchain::kKernel, 0xffffffff80000000 + waker, callchain::kUser,
            0x2000, 0x3001},
           Bytes().u64(flags << 16).u32(woken).bytes(std::string(8, '\0')));
  }

  // How thread 7 was off the CPU.
  std::string off_cpu() {
    InputFile input = file_.input();
    PerfData data(input);
    DebugFiles files({});
    Images images(files);
    Profile profile =
        turn_wakers(std::move(read_session(data, images, {}).profile));
    sort_samples(profile);
    EXPECT_EQ(check(profile), "");
    std::string out;
    std::vector<FrameId> frames;
    for (const Sample& sample : profile.samples) {
      if (profile.strings[profile.events[sample.event].name] !=
          kOffCpuEventName)
        continue;
      if (profile.threads[sample.thread].tid != 7) continue;
      out += profile.strings[profile.threads[sample.thread].comm];
      profile.stacks.frames_of(sample.stack, frames);
      for (const FrameId id : frames) {
        const Frame& frame = profile.frames[id];
        const std::string_view name = profile.strings[frame.function];
        out += name.empty() ? fmt::format(";{:x}", frame.address & 0xffff)
                            : fmt::format(";{}", name);
      }
      out += fmt::format(" {}\n", sample.weight);
    }
    return out;
  }

 private:
  void sample(std::uint64_t id, std::uint64_t time, std::uint32_t tid,
              std::vector<std::uint64_t> chain, const Bytes& raw) {
    file_.sample({.event = static_cast<std::size_t>(id - 321),
                  .pid = tid,
                  .tid = tid,
                  .time = time,
                  .period = 1,
                  .callchain = std::move(chain),
                  .raw = raw.str()});
  }
  PerfDataBuilder file_;
};

TEST_F(WakersTest, TheWakersStackFollowsTheBlockedOneLeafFirst) {
  change(100, 7, 1, 8);
  wake(140, 8, 7);
  change(150, 8, 0, 7);
  EXPECT_EQ(off_cpu(), "t7;1007;[blocked];[woken by];8;2000;3000;t8 50\n");
}

TEST_F(WakersTest, AWakerThatWasWokenMeanwhileIsFollowedByItsOwn) {
  change(100, 7, 1, 8);
  change(110, 8, 1, 9);
  wake(120, 9, 8);
  change(130, 9, 0, 8);
  wake(140, 8, 7);
  change(150, 8, 0, 7);
  EXPECT_EQ(off_cpu(),
            "t7;1007;[blocked];[woken by];8;2000;3000;t8;"
            "[woken by];9;2000;3000;t9 50\n");
}

TEST_F(WakersTest, AWakerThatWasWokenBeforeTheWaitBeganIsTheLast) {
  change(80, 8, 1, 9);
  wake(85, 9, 8);
  change(90, 9, 1, 8);
  change(95, 8, 0, 7);
  change(100, 7, 1, 8);
  wake(140, 8, 7);
  change(150, 8, 0, 7);
  EXPECT_EQ(off_cpu(), "t7;1007;[blocked];[woken by];8;2000;3000;t8 50\n");
}

TEST_F(WakersTest, AnInterruptHasNoWaker) {
  constexpr std::uint32_t kHardInterrupt = 8;
  change(100, 7, 1, 8);
  wake(140, 8, 7, kHardInterrupt);
  change(150, 8, 0, 7);
  EXPECT_EQ(off_cpu(), "t7;1007;[blocked];[woken by];8;[interrupt] 50\n");
}

TEST_F(WakersTest, TheFirstWakingOfAWaitCounts) {
  change(100, 7, 1, 8);
  wake(120, 8, 7);
  wake(121, 9, 7);
  change(150, 8, 0, 7);
  EXPECT_EQ(off_cpu(), "t7;1007;[blocked];[woken by];8;2000;3000;t8 50\n");
}

TEST_F(WakersTest, AWakingBeforeTheWaitDoesNotCount) {
  wake(90, 8, 7);
  change(100, 7, 1, 8);
  change(150, 8, 0, 7);
  EXPECT_EQ(off_cpu(), "t7;1007;[blocked] 50\n");
}

TEST_F(WakersTest, WhatIsPreemptedGoesOnByItself) {
  change(100, 7, 0, 8);
  wake(140, 8, 7);
  change(150, 8, 0, 7);
  EXPECT_EQ(off_cpu(), "t7;1007;[preempted] 50\n");
}

TEST_F(WakersTest, AChainIsNotLongerThanItsLimit) {
  change(1000, 7, 1, 8);
  for (std::uint64_t i = 0; i < 40; ++i) {
    const std::uint32_t sleeper = i % 2 == 0 ? 8 : 9;
    const std::uint32_t waker = i % 2 == 0 ? 9 : 8;
    change(1010 + 10 * i, sleeper, 1, waker);
    wake(1011 + 10 * i, waker, sleeper);
    change(1012 + 10 * i, waker, 0, sleeper);
  }
  wake(2000, 9, 7);
  change(2010, 9, 0, 7);
  const std::string last = off_cpu();
  std::size_t count = 0;
  for (std::size_t at = 0; (at = last.find("[woken by]", at)) != last.npos;
       ++at)
    ++count;
  EXPECT_EQ(count, Wakers::kMaxChain);
}

TEST(TurnWakers, WhatAnInterruptInterruptedIsLeftOut) {
  Profile profile;
  StackId stack = StackId::kRoot;
  for (const char* name :
       {"main", "[blocked]", "[woken by]", "[interrupt]", "do_idle",
        "asm_sysvec_apic_timer_interrupt", "hrtimer_wakeup"})
    stack = profile.stacks.push(
        stack, profile.named_frame(name, name[0] == '[' ? FrameKind::kLabel
                                                        : FrameKind::kUser));
  profile.samples.push_back(
      {.weight = 1, .stack = stack, .event = profile.event_id("e", "")});
  profile = turn_wakers(std::move(profile));
  std::vector<FrameId> frames;
  profile.stacks.frames_of(profile.samples[0].stack, frames);
  std::string text;
  for (const FrameId id : frames)
    text += fmt::format(";{}", profile.strings[profile.frames[id].function]);
  EXPECT_EQ(text,
            ";main;[blocked];[woken by];hrtimer_wakeup;"
            "asm_sysvec_apic_timer_interrupt;[interrupt]");
}

// --- Which wakings are kept --------------------------------------------------

class RecordedThreadsTest : public testing::Test {
 protected:
  RecordedThreadsTest() {
    event_.attr = {.type = event_type::kTracepoint,
                   .sample_type = sample_type::kTid | sample_type::kRaw};
    threads_.visit({.type = RecordType::kComm,
                    .body = keep(Bytes().u32(7).u32(7).bytes(
                        std::string("prog\0\0\0\0", 8))),
                    .event = &event_});
  }
  bool are_woken(std::uint32_t waker, std::uint32_t woken) {
    const Bytes raw = Bytes().u64(0).u32(woken).u32(0).u32(0);
    return threads_.are_woken_by(
        {.type = RecordType::kSample,
         .body = keep(Bytes().u32(waker).u32(waker).u32(20).bytes(raw.str())),
         .event = &event_});
  }
  std::string_view keep(const Bytes& bytes) {
    return kept_.emplace_back(bytes.str());
  }
  std::deque<std::string> kept_;
  PerfEvent event_;
  RecordedThreads threads_{tracing_data()};
};

TEST_F(RecordedThreadsTest, AreWokenByUnrecordedThreads) {
  EXPECT_TRUE(are_woken(100, 7));
  EXPECT_EQ(threads_.new_waker(), 100);
  EXPECT_TRUE(are_woken(100, 7));
  EXPECT_EQ(threads_.new_waker(), 0);  // known by now
}

TEST_F(RecordedThreadsTest, WakingsAmongUnrecordedThreadsDoNotMatter) {
  EXPECT_FALSE(are_woken(100, 101));
}

TEST_F(RecordedThreadsTest, WakingsByOneOfThemAreRecordedAlready) {
  EXPECT_FALSE(are_woken(7, 7));
}

TEST_F(RecordedThreadsTest, AThreadThatEndedIsNoneOfThem) {
  threads_.visit({.type = RecordType::kExit,
                  .body = keep(Bytes().u32(7).u32(1).u32(7).u32(1).u64(5)),
                  .event = &event_});
  EXPECT_FALSE(are_woken(100, 7));
}

}  // namespace
}  // namespace wick

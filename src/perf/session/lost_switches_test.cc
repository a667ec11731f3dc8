// SPDX-License-Identifier: Apache-2.0
// Time on and off the CPU where switches were lost.
#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "builders/session_text.h"

namespace wick {
namespace {

constexpr std::uint32_t kPid = 7;

// Lines of a recording. Each is of one thread on one CPU.
class Recording {
 public:
  Recording() {
    file_.event({.sample_type = kBase | sample_type::kCpu,
                 .flags = attr_flag::kSampleIdAll | attr_flag::kContextSwitch},
                "cycles");
    file_.comm(kPid, kPid, "prog", 1);
  }
  void begins(std::uint64_t time, std::uint32_t tid) {
    file_.record(RecordType::kFork, 0, task(kPid, kPid, tid, kPid, time),
                 {.pid = kPid, .tid = kPid, .time = time, .cpu = 9});
  }
  void comes(std::uint64_t time, std::uint32_t tid, std::uint32_t cpu = 0) {
    record(RecordType::kSwitch, 0, {}, time, tid, cpu);
  }
  void leaves(std::uint64_t time, std::uint32_t tid, std::uint32_t cpu = 0) {
    record(RecordType::kSwitch, misc::kSwitchOut, {}, time, tid, cpu);
  }
  void runs(std::uint64_t time, std::uint32_t tid, std::uint32_t cpu = 0) {
    file_.sample(
        {.pid = kPid, .tid = tid, .time = time, .cpu = cpu, .period = 1});
  }
  void ends(std::uint64_t time, std::uint32_t tid, std::uint32_t cpu = 0) {
    record(RecordType::kExit, 0, task(kPid, kPid, tid, kPid, time), time, tid,
           cpu);
  }
  // Since the CPU's last record.
  void loses(std::uint64_t time, std::uint32_t cpu = 0,
             std::uint64_t records = 2) {
    record(RecordType::kLost, 0, Bytes().u64(1).u64(records), time, kPid, cpu);
  }
  void is_over(std::uint64_t time, std::uint64_t lost_in_all = 0) {
    record(RecordType::kLostSamples, 0, Bytes().u64(lost_in_all), time, 0, 9);
  }

  const PerfDataBuilder& file() const { return file_; }

 private:
  void record(RecordType type, std::uint16_t misc, const Bytes& body,
              std::uint64_t time, std::uint32_t tid, std::uint32_t cpu) {
    file_.record(type, misc, body,
                 {.pid = kPid, .tid = tid, .time = time, .cpu = cpu});
  }
  PerfDataBuilder file_;
};

// Nanoseconds of a thread. The records of these tests have no stacks, so a
// stack is the reason to be off the CPU.
struct Times {
  std::uint64_t on = 0, off = 0;
  std::uint64_t unknown = 0;  // of all threads
  friend bool operator==(const Times&, const Times&) = default;
};
void PrintTo(const Times& times, std::ostream* out) {
  *out << times.on << " on, " << times.off << " off, " << times.unknown
       << " unknown";
}

std::map<std::uint32_t, Times> times_of(const Recording& recording) {
  const Profile profile = read(recording.file());
  std::map<std::uint32_t, Times> times;
  for (const Sample& sample : profile.samples) {
    if (profile.events[sample.event].time != TimeKind::kWall) continue;
    const bool is_off =
        sample.stack != StackId::kRoot &&
        profile.frames[profile.stacks.frame(sample.stack)].kind ==
            FrameKind::kOffCpu;
    Times& all =
        times[static_cast<std::uint32_t>(profile.threads[sample.thread].tid)];
    (is_off ? all.off : all.on) += static_cast<std::uint64_t>(sample.weight);
  }
  for (auto& [tid, all] : times)
    all.unknown = profile.diagnostics.count(Problem::kLostSwitches);
  return times;
}

// Thread 8 comes at 100 and is there at 200.
constexpr std::uint32_t kThread = 8, kOther = 9;

TEST(LostSwitches, AWaitWhoseEndWasLostIsNotTimeOnTheCpu) {
  Recording recording;
  recording.comes(100, kThread);
  recording.leaves(120, kThread);
  recording.leaves(130, kOther);
  recording.loses(160);
  recording.leaves(180, kThread);  // it came in the loss
  recording.comes(190, kThread);
  recording.ends(200, kThread);
  EXPECT_EQ(times_of(recording)[kThread],
            (Times{.on = 50, .off = 20, .unknown = 30}));
}

TEST(LostSwitches, AWaitWhoseBeginningWasLostIsNotTimeOnTheCpu) {
  Recording recording;
  recording.comes(100, kThread);
  recording.runs(110, kThread);
  recording.loses(150);
  recording.comes(170, kThread);  // it left in the loss
  recording.ends(200, kThread);
  EXPECT_EQ(times_of(recording)[kThread],
            (Times{.on = 40, .off = 20, .unknown = 40}));
}

TEST(LostSwitches, AThreadThatRunsThroughALossMayHaveWaitedInIt) {
  Recording recording;
  recording.comes(100, kThread);
  recording.runs(110, kThread);
  recording.loses(130);
  recording.runs(130, kThread);
  recording.ends(200, kThread);
  EXPECT_EQ(times_of(recording)[kThread],
            (Times{.on = 80, .off = 0, .unknown = 20}));
}

TEST(LostSwitches, AThreadRunsOnWhereNothingWasLost) {
  Recording recording;
  recording.comes(100, kThread, 0);
  recording.runs(105, kThread, 0);
  recording.leaves(110, kOther, 1);
  recording.loses(130, 1);
  recording.ends(200, kThread, 0);
  EXPECT_EQ(times_of(recording)[kThread], (Times{.on = 100}));
}

TEST(LostSwitches, AWaitThatHasItsBeginningAndItsEndIsOne) {
  Recording recording;
  recording.comes(100, kThread);
  recording.leaves(120, kThread);
  recording.loses(160);
  recording.comes(180, kThread);
  recording.ends(200, kThread);
  EXPECT_EQ(times_of(recording)[kThread], (Times{.on = 40, .off = 60}));
}

TEST(LostSwitches, AThreadThatEndsWasBack) {
  Recording recording;
  recording.comes(100, kThread);
  recording.leaves(120, kThread);
  recording.leaves(130, kOther);
  recording.loses(160);
  recording.ends(200, kThread);
  EXPECT_EQ(times_of(recording)[kThread],
            (Times{.on = 60, .off = 10, .unknown = 30}));
}

TEST(LostSwitches, AThreadThatIsNotSeenAgainMayHaveLeft) {
  Recording recording;
  recording.comes(100, kThread);
  recording.runs(110, kThread);
  recording.loses(130);
  recording.leaves(130, kOther);
  recording.is_over(200);
  EXPECT_EQ(times_of(recording)[kThread],
            (Times{.on = 10, .off = 0, .unknown = 90}));
}

TEST(LostSwitches, WhatIsLostAtTheEndHasNoRecordAfterIt) {
  Recording recording;
  recording.comes(100, kThread);
  recording.runs(150, kThread);
  recording.is_over(200, 3);
  EXPECT_EQ(times_of(recording)[kThread],
            (Times{.on = 50, .off = 0, .unknown = 50}));
}

TEST(LostSwitches, AreReportedAsAShareOfTheTimeOfAllThreads) {
  Recording recording;
  recording.comes(100, kThread);
  recording.runs(110, kThread);
  recording.loses(130);
  recording.ends(200, kThread);
  const Profile profile = read(recording.file());
  const auto& entries = profile.diagnostics.entries();
  const auto entry = std::ranges::find(entries, Problem::kLostSwitches,
                                       &Diagnostics::Entry::problem);
  ASSERT_NE(entry, entries.end());
  EXPECT_EQ(describe(*entry),
            "20 ns of the threads' time is unknown: the records of when they "
            "left the CPU or returned were lost (20% of 100 ns)");
}

// Two CPUs on which four threads take turns, and whose records are lost at
// times.
class Storm {
 public:
  explicit Storm(unsigned seed) : random_(seed) {
    for (std::uint32_t tid = 10; tid < 14; ++tid) {
      recording_.begins(1000, tid);
      idle_.push_back(tid);
    }
    for (time_ = 1001; time_ < 3000; ++time_) step();
    recording_.is_over(time_, lost_in_all_);
    for (std::uint32_t cpu = 0; cpu < 2; ++cpu)
      if (at_[cpu].tid != 0) on_[at_[cpu].tid] += time_ - at_[cpu].since;
  }

  const Recording& recording() const { return recording_; }
  std::uint64_t time_on(std::uint32_t tid) { return on_[tid]; }
  static constexpr std::uint64_t kLife = 2000;

 private:
  struct Cpu {
    std::uint32_t tid = 0;
    std::uint64_t since = 0, lost = 0;
    bool is_full = false;
  };
  bool happens(unsigned of) { return random_() % of == 0; }

  void step() {
    const std::uint32_t cpu = random_() % 2;
    Cpu& at = at_[cpu];
    if (happens(at.is_full ? 15 : 60)) at.is_full = !at.is_full;
    if (at.tid != 0 && happens(3)) {
      on_[at.tid] += time_ - at.since;
      idle_.push_back(at.tid);
      if (is_kept(cpu)) recording_.leaves(time_, at.tid, cpu);
      at.tid = 0;
    } else if (at.tid == 0 && happens(4)) {
      std::ranges::shuffle(idle_, random_);
      at.tid = idle_.back();
      idle_.pop_back();
      at.since = time_;
      if (is_kept(cpu)) recording_.comes(time_, at.tid, cpu);
    } else if (at.tid != 0 && happens(4) && is_kept(cpu)) {
      recording_.runs(time_, at.tid, cpu);
    }
  }

  // One that fits comes behind the count of those that did not.
  bool is_kept(std::uint32_t cpu) {
    Cpu& at = at_[cpu];
    if (at.is_full) {
      ++at.lost;
      ++lost_in_all_;
      return false;
    }
    if (at.lost > 0) recording_.loses(time_, cpu, at.lost);
    at.lost = 0;
    return true;
  }

  std::mt19937 random_;
  Recording recording_;
  std::uint64_t time_ = 0, lost_in_all_ = 0;
  Cpu at_[2];
  std::vector<std::uint32_t> idle_;
  std::map<std::uint32_t, std::uint64_t> on_;
};

TEST(LostSwitches, NoTimeIsOnTheCpuThatWasNotAndEachIsInOnePlace) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Storm storm(seed);
    auto times = times_of(storm.recording());
    std::uint64_t sum = 0;
    for (auto& [tid, all] : times) {
      EXPECT_LE(all.on, storm.time_on(tid)) << tid;
      sum += all.on + all.off;
    }
    EXPECT_EQ(sum + times.begin()->second.unknown, 4 * Storm::kLife);
  }
}

}  // namespace
}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Time that threads spend off the CPU, if a recording has the times when they
// leave it and return (perf record --switch-events, or sched_switch of all
// CPUs) and the places where they left (samples of sched_switch or
// context-switches). It becomes samples of a separate event, weighted in
// nanoseconds, whose innermost frame is the reason: blocked, in I/O (or another
// uninterruptible wait), or preempted while still runnable.
//
// If records were lost, a thread may seem to come back twice, or to leave
// twice. A switch is then missing, and from the first loss in between to the
// last one it is not known whether the thread was on the CPU or off. A thread
// that seems to run through a loss may have waited in it. One that leaves and
// comes back is taken to have waited all the time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "perf/records/record.h"
#include "perf/session/chain.h"
#include "perf/session/lost_records.h"
#include "perf/session/process.h"
#include "perf/session/wakers.h"
#include "perf/session/wall_time.h"
#include "profile/profile.h"

namespace wick {

class OffCpu {
 public:
  // Without events that sample a thread as it leaves, its last sample tells
  // roughly where it was; the innermost frame says so.
  OffCpu(Profile& profile, std::span<const PerfEvent> events);

  // Nothing before this time counts: the recording watched processes before it
  // was to begin.
  void begin_at(std::uint64_t time) { begin_ = time; }

  // Whether the samples of this event are taken when a thread leaves the CPU.
  static bool is_switch(const PerfEvent& event);

  // A sample of such an event; returns the number of the switch.
  std::uint32_t on_sample(Task& task, std::uint64_t time, std::string_view raw,
                          const PerfEvent& event, Tasks& tasks);
  void set_stack(std::uint32_t switch_number, StackId stack) {
    switches_[switch_number].stack = stack;
  }

  // Who woke whom, if recorded.
  Wakers& wakers() { return wakers_; }

  // The stack of a thread's sample.
  void on_stack(ThreadId thread, StackId stack) {
    if (!is_rough_) return;
    if (index(thread) >= last_stacks_.size())
      last_stacks_.resize(index(thread) + 1, StackId::kRoot);
    last_stacks_[index(thread)] = stack;
  }

  // Which records were lost, to be told as they come.
  LostRecords& lost() { return lost_; }

  void on_switch(const SwitchRecord& change, Task& task, std::uint64_t time,
                 std::uint32_t cpu);
  // A record that the thread itself caused, before what else is told of it.
  void on_seen(Task& task, std::uint64_t time, std::uint32_t cpu);
  // A thread that existed already when it was described at this time.
  void on_described(Task& task, std::uint64_t time) {
    task.off_since = time;
    task.is_off_from_the_start = true;
    task.is_new = false;
    task.was_preempted = false;
    task.last_switch = StacklessSample::kNoSwitch;
  }
  // A thread that begins at this time and waits for a CPU.
  void on_born(Task& task, std::uint64_t time) {
    task.off_since = time;
    task.is_off_from_the_start = true;
    task.is_new = true;
  }
  // A sample of a thread on the CPU.
  void on_running(Task& task, std::uint64_t time, std::uint32_t cpu) {
    if (!task.is_off_from_the_start) return;
    task.is_off_from_the_start = false;
    task.off_since = 0;
    task.seen_on = time;
    task.cpu = cpu;
  }
  void on_exit(Task& task, std::uint64_t time, std::uint32_t cpu) {
    on_seen(task, time, cpu);
    task.off_since = 0;
  }
  // The recording ends; the thread may be asleep.
  void on_end(Task& task, std::uint64_t time);

  // The profile ends, and the wait goes on, in another one if carry_on() says
  // so there: it is in each of them for as long as it took of their time.
  void on_cut(Task& task, std::uint64_t time);
  // Returns the number of the switch in this profile.
  std::uint32_t carry_on(Task& task, OffCpuReason reason);
  OffCpuReason reason_of(std::uint32_t switch_number) const {
    return switches_[switch_number].reason;
  }

  // Whether the recording has every switch.
  bool has_switches() const { return has_switch_records_; }

  // Once all stacks are known. Also adds them to `wall`, if there is one.
  void add_samples(SampleCollector& samples, WallTime* wall);

 private:
  void comes_back(Task& task, std::uint64_t time);
  void comes_back_again(Task& task, std::uint64_t time, std::uint32_t cpu);
  // Returns whether it may have.
  bool came_back_unseen(Task& task, std::uint64_t time, std::uint32_t cpu);
  void note_unknown(const Task& task, LostRecords::Gap gap);

  static bool samples_switches(const PerfEvent& event);
  static OffCpuReason reason(const PerfEvent& event, std::string_view raw);

  struct Pause {
    std::uint64_t begin, end;
    ThreadId thread;
    std::uint32_t switch_number;  // leads to the stack, or else
    StackId stack;
    OffCpuReason reason;
    std::uint32_t waking;       // who ended it
    std::uint64_t switch_time;  // not later than `begin`
  };
  struct Unknown {
    std::uint32_t tid;
    std::uint64_t nanoseconds;
  };
  struct Switch {
    StackId stack = StackId::kRoot;
    OffCpuReason reason = OffCpuReason::kNone;
  };
  Profile& profile_;
  Wakers wakers_{profile_};
  std::vector<Switch> switches_;  // by number
  std::vector<Pause> pauses_;
  LostRecords lost_;
  std::vector<Unknown> unknown_;  // if anything was lost
  bool has_switch_records_;
  bool is_rough_;
  std::uint64_t begin_ = 0;
  std::vector<StackId> last_stacks_;  // by thread
};

}  // namespace wick

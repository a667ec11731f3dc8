// SPDX-License-Identifier: Apache-2.0
// Who ended a thread's wait, where a recording tells it (sched:sched_waking,
// whose samples are taken in the thread that wakes). The waker's stack stands
// behind the blocked one:
//
//   main;take;futex_wait;[blocked];[woken by];futex_wake;put;run;producer
//
// It is read from its leaf back to its root, so that what touched stands
// together, and ends with the waker's name. A waker that was itself woken while
// the other waited did so only then: its own waker follows, and so on.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "perf/session/chain.h"
#include "perf/session/process.h"
#include "profile/profile.h"

namespace wick {

class Wakers {
 public:
  static constexpr std::string_view kSeparator = "[woken by]";
  // Where nobody woke it but the machine: a timer, a disk, the network.
  static constexpr std::string_view kInterrupt = "[interrupt]";
  static constexpr int kMaxChain = 8;

  explicit Wakers(Profile& profile) : profile_(profile) {}

  // Whether samples of this event are taken when a thread is woken.
  static bool is_waking(const PerfEvent& event);

  // A sample of such an event; gives the number of the waking, or kNoSwitch if
  // it is of no thread that waits.
  std::uint32_t on_sample(Task& waker, std::uint64_t time, std::string_view raw,
                          const PerfEvent& event, Tasks& tasks);
  void set_stack(std::uint32_t waking, StackId stack) {
    wakings_[waking].stack = stack;
  }

  // `task`, which left the CPU at `since`, is back: who woke it, or kNoSwitch.
  std::uint32_t on_back(Task& task, std::uint64_t since);

  // `blocked` and behind it who ended it, once all stacks are known; callers
  // first still, until turn_wakers().
  StackId behind(StackId blocked, std::uint32_t waking, std::uint64_t since);

 private:
  struct Waking {
    std::uint64_t time;
    ThreadId waker;
    std::uint32_t before;  // the waking that ended the waker's last wait
    bool in_interrupt;
    StackId stack = StackId::kRoot;
  };
  StackId push_waker(StackId stack, const Waking& waking);

  Profile& profile_;
  std::vector<Waking> wakings_;
  std::vector<FrameId> frames_;
};

// Turns the stacks of wakers round. Comes when frames have their names: a
// function that was inlined stands before its caller then, too.
Profile turn_wakers(Profile profile);

}  // namespace wick

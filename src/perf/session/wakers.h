// SPDX-License-Identifier: Apache-2.0
// Who ended a thread's wait, if recorded (sched:sched_waking, sampled in the
// waking thread). The waker's stack follows the blocked one:
//
//   main;take;futex_wait;[blocked];[woken by];futex_wake;put;run;producer
//
// It runs from its leaf to its root, so that the two leaves meet, and ends with
// the waker's name. If the waker was itself woken during that wait, its own
// waker follows, and so on.
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
  // If a device woke it: a timer, a disk, the network.
  static constexpr std::string_view kInterrupt = "[interrupt]";
  static constexpr int kMaxChain = 8;

  explicit Wakers(Profile& profile) : profile_(profile) {}

  // Whether samples of this event are taken when a thread is woken.
  static bool is_waking(const PerfEvent& event);

  // A sample of such an event; returns the number of the waking, or kNoSwitch
  // if the woken thread was not waiting.
  std::uint32_t on_sample(Task& waker, std::uint64_t time, std::string_view raw,
                          const PerfEvent& event, Tasks& tasks);
  void set_stack(std::uint32_t waking, StackId stack) {
    wakings_[waking].stack = stack;
    frames_left_ += kMaxChain * profile_.stacks.depth(stack);
  }

  // `task`, which left the CPU at `since`, is back: the waking that ended its
  // wait, or kNoSwitch.
  std::uint32_t on_back(Task& task, std::uint64_t since);

  // `blocked` followed by its wakers, once all stacks are known; still callers
  // first, until turn_wakers().
  StackId behind(StackId blocked, std::uint32_t waking, std::uint64_t since);

 private:
  struct Waking {
    std::uint64_t time = 0;
    ThreadId waker = ThreadId::kUnknown;
    // The waking that ended the waker's last wait.
    std::uint32_t before = StacklessSample::kNoSwitch;
    bool in_interrupt = false;
    StackId stack = StackId::kRoot;
  };
  StackId push_waker(StackId stack, const Waking& waking);

  Profile& profile_;
  std::vector<Waking> wakings_;
  std::vector<FrameId> frames_;
  // Frames of wakers that may still be repeated: a recording of a few MB can
  // have one deep waker behind thousands of waits.
  std::uint64_t frames_left_ = 1'000'000;
};

// Reverses the stacks of wakers. Runs after symbolization, so that inlined
// functions are reversed as well.
Profile turn_wakers(Profile profile);

}  // namespace wick

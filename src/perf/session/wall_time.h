// SPDX-License-Identifier: Apache-2.0
// Time on and off the CPU as one event, whose sum for each thread is its
// lifetime, except for what is not known because switches were lost: that is
// reported. Time off the CPU is exact. The rest is distributed evenly over the
// thread's samples on the CPU, or attributed to a special frame if it has none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash_index.h"
#include "perf/session/process.h"
#include "profile/profile.h"

namespace wick {

class WallTime {
 public:
  explicit WallTime(Profile& profile) : profile_(profile) {}

  // Nothing before this time counts.
  void begin_at(std::uint64_t time) { begin_ = time; }

  // A thread exists at this time.
  void on_seen(std::uint32_t tid, std::uint64_t time) {
    if (!Task::is_thread(tid)) return;
    Life& life = lives_[tid];
    if (life.begin == 0) life.begin = std::max(time, begin_);
  }
  void on_exit(std::uint32_t tid, std::uint64_t time) {
    lives_[tid].end = time;
  }
  // A sample of a thread on the CPU.
  void on_sample(ThreadId thread, StackId stack);
  void on_pause(ThreadId thread, StackId stack, std::uint64_t begin,
                std::uint64_t end);
  // Part of its life, and neither on the CPU nor off it.
  void on_unknown(std::uint32_t tid, std::uint64_t nanoseconds) {
    lives_[tid].unknown += nanoseconds;
  }

  // Threads that did not end live until `end`.
  void add_samples(SampleCollector& samples, std::uint64_t end);

 private:
  struct Life {
    std::uint64_t begin = 0, end = 0, off = 0, unknown = 0;
    std::vector<std::uint32_t> places;  // in counts_
  };
  struct Count {
    ThreadId thread = ThreadId::kUnknown;
    StackId stack = StackId::kRoot;
    std::uint64_t samples = 0;
  };
  struct Pause {
    ThreadId thread;
    StackId stack;
    std::uint64_t begin, end;
  };
  std::uint32_t tid_of(ThreadId thread) const {
    return static_cast<std::uint32_t>(profile_.threads[thread].tid);
  }
  void share_out(const Life& life, std::uint32_t tid, std::uint64_t on,
                 EventId event, SampleCollector& samples);

  Profile& profile_;
  std::uint64_t begin_ = 0;
  std::unordered_map<std::uint32_t, Life> lives_;  // by tid
  std::vector<Count> counts_;
  HashIndex index_;
  std::vector<Pause> pauses_;
};

}  // namespace wick

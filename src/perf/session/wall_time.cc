// SPDX-License-Identifier: Apache-2.0
#include "perf/session/wall_time.h"

#include <algorithm>

namespace wick {

void WallTime::on_sample(ThreadId thread, StackId stack) {
  const std::uint32_t row = index_.find_or_add(
      hash_pair(index(thread), index(stack)),
      [&](std::uint32_t i) {
        return counts_[i].thread == thread && counts_[i].stack == stack;
      },
      [&] {
        const auto place = static_cast<std::uint32_t>(counts_.size());
        counts_.push_back({thread, stack});
        lives_[tid_of(thread)].places.push_back(place);
        return place;
      });
  ++counts_[row].samples;
}

void WallTime::on_pause(ThreadId thread, StackId stack, std::uint64_t begin,
                        std::uint64_t end) {
  lives_[tid_of(thread)].off += end - begin;
  pauses_.push_back({thread, stack, begin, end});
}

void WallTime::add_samples(SampleCollector& samples, std::uint64_t end) {
  const EventId event = profile_.event_id(kWallEventName, "nanoseconds");
  profile_.events[event].time = TimeKind::kWall;
  for (const Pause& pause : pauses_)
    samples.add({.time = pause.begin,
                 .weight = static_cast<std::int64_t>(pause.end - pause.begin),
                 .stack = pause.stack,
                 .thread = pause.thread,
                 .event = event});
  std::vector<std::uint32_t> tids;
  for (const auto& [tid, life] : lives_) tids.push_back(tid);
  std::ranges::sort(tids);
  std::uint64_t unknown = 0, all = 0;
  for (const std::uint32_t tid : tids) {
    const Life& life = lives_[tid];
    const std::uint64_t last = life.end != 0 ? life.end : end;
    if (life.begin == 0 || last <= life.begin) continue;
    unknown += std::min(life.unknown, last - life.begin);
    all += last - life.begin;
    const std::uint64_t not_on = life.off + life.unknown;
    if (last - life.begin > not_on)
      share_out(life, tid, last - life.begin - not_on, event, samples);
  }
  profile_.diagnostics.note_time(Problem::kLostSwitches, unknown, all);
}

// Distributes the time so that the parts add up exactly.
void WallTime::share_out(const Life& life, std::uint32_t tid, std::uint64_t on,
                         EventId event, SampleCollector& samples) {
  std::uint64_t all = 0;
  for (const std::uint32_t place : life.places) all += counts_[place].samples;
  if (all == 0) {
    // The thread's final name.
    ThreadId thread = ThreadId::kUnknown;
    for (const ThreadId id : profile_.threads.ids())
      if (tid_of(id) == tid) thread = id;
    const FrameId frame =
        profile_.named_frame("[on the CPU, not sampled]", FrameKind::kLabel);
    samples.add({.time = life.begin,
                 .weight = static_cast<std::int64_t>(on),
                 .stack = profile_.stacks.push(StackId::kRoot, frame),
                 .thread = thread,
                 .event = event});
    return;
  }
  double before = 0;
  std::uint64_t given = 0;
  for (const std::uint32_t place : life.places) {
    const Count& count = counts_[place];
    before += static_cast<double>(count.samples);
    const auto until = static_cast<std::uint64_t>(
        static_cast<double>(on) * before / static_cast<double>(all));
    const std::uint64_t to =
        std::min(place == life.places.back() ? on : until, on);
    samples.add({.time = life.begin,
                 .weight = static_cast<std::int64_t>(to - given),
                 .stack = count.stack,
                 .thread = count.thread,
                 .event = event});
    given = to;
  }
}

}  // namespace wick

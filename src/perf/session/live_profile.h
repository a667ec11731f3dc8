// SPDX-License-Identifier: Apache-2.0
// Records that arrive all the time → a Profile every few seconds. Processes and
// their mappings are known from one to the next; stacks, threads and names are
// each Profile's own, so that one can be stored and forgotten. Time off the CPU
// is in parts: a wait of an hour is in every Profile of that hour.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "object/images.h"
#include "object/live_names.h"
#include "perf/file/header.h"
#include "perf/session/chain.h"
#include "perf/session/code_frames.h"
#include "perf/session/off_cpu.h"
#include "perf/session/side_band.h"
#include "perf/session/stack_unwinding.h"
#include "profile/profile.h"

namespace wick {

class LiveProfile {
 public:
  struct Options {
    int workers = 1;
    std::size_t frame_limit = kDefaultFrameLimit;  // of frame pointers
    std::shared_ptr<MemoryBudget> memory;          // of processes and threads
    std::shared_ptr<MemoryBudget> names;           // of functions
    std::uint64_t lookup_memory = LiveNames::kLookupMemory;
  };
  // `events` are those of the records; `images` and `files` outlive it.
  LiveProfile(Machine machine, const std::vector<PerfEvent>& events,
              Images& images, DebugFiles& files, const Options& options);

  // Of the kernel and the vDSO.
  void add_build_id(const PerfHeader::BuildId& known) {
    side_band_.add_build_id(known.path, known.build_id);
  }

  // What a sample of a clock stands for if it is of `from` or later: the kernel
  // reports the period that the clock was opened with, although it has changed.
  void set_period(std::uint64_t from, std::int64_t nanoseconds) {
    period_changes_.push_back({from, nanoseconds});
  }

  // Takes records in the order of time.
  void visit(const PerfRecord& record);
  // Unwinds what waits; the bytes of its records are no longer needed.
  void end_round();

  // All samples since the last call, with the names of symbol tables. The sum
  // of their weights is what was sampled; what was lost is in its diagnostics.
  // Every record before `time` was taken, and none after it.
  Profile cut(std::uint64_t time);

 private:
  // What belongs to one Profile.
  struct Part {
    Part(const std::vector<PerfEvent>& all, Images& images,
         SideBand& side_band);
    Profile profile;
    std::vector<EventId> events;  // by index in events_
    SampleCollector samples;
    CodeFrames code;
    std::optional<OffCpu> off_cpu;  // if switches are recorded
  };
  // Where a thread left the CPU, for the Profiles after the one in which it
  // did.
  struct WaitingPlace {
    OffCpuReason reason = OffCpuReason::kNone;
    Chain chain;
  };
  static constexpr std::size_t kMostPlaces = 16384;
  // So long after it, a loss of records may still be the reason why a thread
  // is seen where it cannot be.
  static constexpr std::uint64_t kLossesKept = 10'000'000'000;

  void visit_side_band(const PerfRecord& record);
  void on_task(const PerfRecord& record);
  void on_switch(const PerfRecord& record);
  void tell_off_cpu(StacklessSample& stackless, Task& task,
                    const PerfEvent& event);
  void set_place(const StacklessSample& stackless, const Chain& chain);
  void carry_waits_on();
  void on_sample(const PerfRecord& record);
  void on_lost(const PerfRecord& record);
  std::int64_t weight_at(std::uint64_t time);
  void take(StacklessSample& stackless, Space& space, const Chain& chain);
  StackId stack_of(const StacklessSample& stackless, Space& space,
                   const Chain& chain);
  void unwind();
  void begin_part(std::uint64_t time);

  const std::vector<PerfEvent>& events_;
  Images& images_;
  SideBand side_band_;
  StackUnwinding unwinding_;
  LiveNames names_;
  std::optional<Part> part_;
  struct PeriodChange {
    std::uint64_t from;
    std::int64_t nanoseconds;
  };
  std::deque<PeriodChange> period_changes_;  // to come, by time
  std::int64_t period_ = 0;                  // 0: as the kernel says
  std::unordered_map<std::uint32_t, WaitingPlace> places_;  // by tid
  std::vector<Space*> waiting_;  // for their samples to be unwound
  PerfSample sample_;
  Chain chain_;
};

}  // namespace wick

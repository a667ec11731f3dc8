// SPDX-License-Identifier: Apache-2.0
#include "perf/session/session.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/parallel.h"
#include "perf/session/about_recording.h"
#include "perf/session/chain.h"
#include "perf/session/code_frames.h"
#include "perf/session/off_cpu.h"
#include "perf/session/process.h"
#include "perf/session/side_band.h"
#include "perf/session/stack_unwinding.h"

namespace wick {
namespace {

class Session {
 public:
  Session(PerfData& data, Images& images, const ReadOptions& options)
      : data_(data),
        images_(images),
        options_(options),
        samples_(profile_, options.keep_time),
        unwinding_(data.header().machine, images,
                   {.workers = worker_count(options.threads),
                    .bytes_stay = !data.header().compressed}) {
    for (const PerfHeader::BuildId& known : data.header().build_ids)
      side_band_.add_build_id(known.path, known.build_id);
    for (const PerfEvent& event : data.header().events) {
      constexpr std::int32_t kMonotonic = 1;
      has_monotonic_time_ &= event.attr.flag(attr_flag::kUseClockid) &&
                             event.attr.clockid == kMonotonic;
      const TimeKind time = time_of(event);
      events_.push_back(profile_.event_id(
          event.name, time != TimeKind::kNone ? "nanoseconds" : ""));
      profile_.events[events_.back()].time = time;
      if (main_event_ == EventId{0xffffffff} && !OffCpu::is_switch(event) &&
          !Wakers::is_waking(event))
        main_event_ = events_.back();
    }
    if (const auto& clock = data.header().clock_data)
      code_.set_clock_offset(
          static_cast<std::int64_t>(clock->wall_ns - clock->clock_ns));
    if (const auto begin = data.header().facts.begin_time) {
      off_cpu_.begin_at(*begin);
      wall_.begin_at(*begin);
    }
  }

  SessionResult run() {
    profile_.has_time = options_.keep_time;
    data_.for_each_in_time_order(
        [&](const PerfRecord& record) { visit(record); });
    finish();
    CodeLocations code = code_.locations();
    return {std::move(profile_), std::move(code)};
  }

 private:
  static TimeKind time_of(const PerfEvent& event) {
    if (event.name == kOffCpuEventName) return TimeKind::kOffCpu;
    constexpr std::uint64_t kTaskClock = 1;  // the one before is cpu-clock
    return event.attr.type == event_type::kSoftware &&
                   event.attr.config <= kTaskClock
               ? TimeKind::kOnCpu
               : TimeKind::kNone;
  }

  void visit(const PerfRecord& record) {
    if (record.time != 0 && record.time < kFirstSyntheticTime)
      last_time_ = std::max(last_time_, record.time);
    switch (record.type) {
      case RecordType::kSample:
        return on_sample(record);
      case RecordType::kExit:
        if (const auto exit = decode_task(record)) {
          off_cpu_.on_exit(side_band_.task(exit->pid, exit->tid), record.time,
                           cpu_of(decode_record_id(record)));
          wall_.on_exit(exit->tid, record.time);
        }
        break;
      case RecordType::kFork:
        return on_fork(record);
      case RecordType::kComm:
        // A program begins.
        if (const auto comm = decode_comm(record); comm && comm->exec)
          wall_.on_seen(comm->tid, record.time);
        break;
      case RecordType::kSwitch:
      case RecordType::kSwitchCpuWide:
        return decoded(decode_switch(record), [&](const SwitchRecord& change) {
          const RecordId id = decode_record_id(record);
          wall_.on_seen(id.tid, record.time);
          off_cpu_.on_switch(change, side_band_.task(id.pid, id.tid),
                             record.time, cpu_of(id));
          off_cpu_.lost().on_record(record.time, cpu_of(id));
        });
      case RecordType::kLost:
        off_cpu_.lost().on_lost(record.time, cpu_of(decode_record_id(record)));
        break;
      case RecordType::kCallchainDeferred:
        return decoded(decode_deferred(record, swapped_),
                       [&](const DeferredCallchain& deferred) {
                         const RecordId id = decode_record_id(record);
                         chains_waiting_.complete(
                             id.tid, deferred,
                             [&](StacklessSample& sample, Chain& chain) {
                               add(sample, side_band_.space(id.pid), chain);
                             });
                       });
      default:
        break;
    }
    if (!side_band_.visit(record))
      profile_.diagnostics.note(Problem::kBadRecord);
  }

  static std::uint32_t cpu_of(const RecordId& id) {
    return (id.fields & sample_type::kCpu) != 0 ? id.cpu : LostRecords::kNoCpu;
  }

  void on_fork(const PerfRecord& record) {
    if (!side_band_.visit(record))
      profile_.diagnostics.note(Problem::kBadRecord);
    const auto fork = decode_task(record);
    if (!fork) return;
    wall_.on_seen(fork->tid, record.time);
    // Existing threads are described as forks, too.
    Task& task = side_band_.task(fork->pid, fork->tid);
    if ((record.misc & misc::kForkExec) != 0)
      off_cpu_.on_described(task, record.time);
    else
      off_cpu_.on_born(task, record.time);
  }

  template <class Record, class Use>
  void decoded(const std::optional<Record>& record, Use use) {
    if (record)
      use(*record);
    else
      profile_.diagnostics.note(Problem::kBadRecord);
  }

  // --- Samples ------------------------------------------------------------

  void on_sample(const PerfRecord& record) {
    if (!decode_sample(record, sample_)) {
      profile_.diagnostics.note(Problem::kBadRecord);
      return;
    }
    const PerfEvent& event = *record.event;
    Task& task = side_band_.task(sample_.pid, sample_.tid);
    StacklessSample out{
        .sample = {.time = record.time < kFirstSyntheticTime ? record.time
                                                             : last_time_,
                   .thread = thread_of(profile_, task),
                   .cpu = sample_.has(sample_type::kCpu) ? sample_.cpu
                                                         : Sample::kNoCpu}};
    if (record.time < kFirstSyntheticTime && !Wakers::is_waking(event)) {
      off_cpu_.on_seen(task, record.time, out.sample.cpu);
      off_cpu_.lost().on_record(record.time, out.sample.cpu);
    }
    if (off_cpu_.is_switch(event))
      out.switch_number = off_cpu_.on_sample(task, record.time, sample_.raw,
                                             event, side_band_.tasks());
    if (Wakers::is_waking(event))
      out.waking_number = off_cpu_.wakers().on_sample(
          task, record.time, sample_.raw, event, side_band_.tasks());
    else  // wakers need not be recorded
      wall_.on_seen(sample_.tid, out.sample.time);
    if (event_of(event) == main_event_)
      off_cpu_.on_running(task, record.time, out.sample.cpu);
    chain_.read(sample_, event.attr, record.cpu_mode());
    if (reaches_limit(event.attr))
      profile_.diagnostics.note(Wakers::is_waking(event)
                                    ? Problem::kWakersLimit
                                    : Problem::kCallchainLimit);
    Space& space = side_band_.space(sample_.pid);
    if (record.cpu_mode() == misc::kUser) side_band_.runs(space);
    if (!sample_.has(sample_type::kRead)) {
      out.sample.weight = weight_of(event);
      out.sample.event = event_of(event);
      return take(out, space, event);
    }
    // A group that is read together (":S"): each member's count since the last
    // read.
    for (std::size_t i = 0; i < sample_.read.size(); ++i) {
      const ReadValues::Value now = sample_.read[i];
      const PerfEvent* member = data_.header().event(now.id);
      std::uint64_t& before = counted_[now.id];
      const std::uint64_t count = now.value - std::exchange(before, now.value);
      if (member == nullptr || count == 0 || count > INT64_MAX) continue;
      out.sample.weight = static_cast<std::int64_t>(count);
      out.sample.event = event_of(*member);
      take(out, space, event);
    }
  }

  // The kernel follows frame pointers up to this depth; it includes its own
  // part but not the markers.
  bool reaches_limit(const EventAttr& attr) const {
    return attr.samples(sample_type::kCallchain) &&
           chain_.user_count() + chain_.kernel_count() ==
               (attr.sample_max_stack > 0 ? attr.sample_max_stack
                                          : kDefaultFrameLimit);
  }

  EventId event_of(const PerfEvent& event) const {
    return events_[static_cast<std::size_t>(&event -
                                            data_.header().events.data())];
  }

  // `event` is that of sample_.
  void take(StacklessSample& out, Space& space, const PerfEvent& event) {
    if (chain_.deferred_cookie) {
      chains_waiting_.add(sample_.tid, out, chain_);
      return;
    }
    if (wants_unwinding(event)) {
      unwinding_.add(space, out, chain_, sample_);
      ++space.waiting;
      waiting_.push_back(&space);
      if (unwinding_.is_full()) unwind_waiting();
      return;
    }
    add(out, space, chain_);
  }

  std::int64_t weight_of(const PerfEvent& event) {
    std::uint64_t period = sample_.period;
    if (!sample_.has(sample_type::kPeriod) && event.attr.is_frequency())
      period = 1;
    if (period == 0) {
      // The kernel reports a period of 0 if it does not know it; the sample
      // still counts.
      profile_.diagnostics.note(Problem::kZeroWeight);
      return 1;
    }
    return static_cast<std::int64_t>(
        std::min<std::uint64_t>(period, INT64_MAX));
  }

  bool wants_unwinding(const PerfEvent& event) const {
    return chain_.user_count() == 0 && !sample_.user_stack.empty() &&
           event.attr.samples(sample_type::kRegsUser) &&
           sample_.user_registers.abi != kRegsAbiNone;
  }

  void unwind_waiting() {
    unwinding_.run([&](Space& space, StacklessSample& sample, Chain& chain) {
      add(sample, space, chain);
    });
    for (Space* space : waiting_) space->waiting = 0;
    waiting_.clear();
  }

  void add(StacklessSample& stackless, Space& space, const Chain& chain) {
    Sample& sample = stackless.sample;
    if (space.kernel_version != side_band_.kernel().version) {
      space.cache.clear();
      space.kernel_version = side_band_.kernel().version;
    }
    const auto pid =
        static_cast<std::uint32_t>(profile_.threads[sample.thread].pid);
    const std::uint64_t jit_time =
        has_monotonic_time_ ? sample.time : JitMap::kAnyTime;
    const auto make = [&] {
      StackId stack = StackId::kRoot;
      for (const std::uint64_t address : chain.user_callers_first())
        stack = profile_.stacks.push(
            stack, code_.user_frame(space, address, pid, jit_time));
      for (const std::uint64_t address : chain.kernel_callers_first())
        stack = profile_.stacks.push(stack, code_.kernel_frame(address));
      return stack;
    };
    sample.stack = code_.has_jitdump(space)
                       ? make()
                       : space.cache.stack(chain.words(), make);
    if (sample.stack == StackId::kRoot)
      profile_.diagnostics.note(Problem::kNoStack);
    off_cpu_.on_stack(sample.thread, sample.stack);
    if (sample.event == main_event_)
      wall_.on_sample(sample.thread, sample.stack);
    if (stackless.switch_number != StacklessSample::kNoSwitch)
      off_cpu_.set_stack(stackless.switch_number, sample.stack);
    if (stackless.waking_number != StacklessSample::kNoSwitch)
      off_cpu_.wakers().set_stack(stackless.waking_number, sample.stack);
    samples_.add(sample);
  }

  void finish() {
    unwind_waiting();
    chains_waiting_.give_up([&](StacklessSample& sample, Chain& chain) {
      const Thread& thread = profile_.threads[sample.sample.thread];
      add(sample, side_band_.space(static_cast<std::uint32_t>(thread.pid)),
          chain);
    });
    // LOST has what was lost before it, LOST_SAMPLES everything.
    if (data_.counts().lost_samples > data_.counts().lost)
      off_cpu_.lost().on_lost_end(last_time_);
    for (auto& [tid, task] : side_band_.tasks())
      off_cpu_.on_end(task, last_time_);
    off_cpu_.add_samples(samples_, &wall_);
    if (off_cpu_.has_switches()) {
      // Its samples show where the time on the CPU was spent.
      if (profile_.events.contains(main_event_) &&
          profile_.events[main_event_].time == TimeKind::kNone)
        profile_.events[main_event_].time = TimeKind::kOnCpu;
      wall_.add_samples(samples_, last_time_);
    }
    unwinding_.note_ends(profile_.diagnostics);
    profile_.diagnostics.note(Problem::kBadRecord, side_band_.refused());
    profile_.diagnostics.note(Problem::kLargeJitFile,
                              code_.incomplete_jit_files());
    note_losses(data_, profile_.diagnostics);
    describe_recording(data_.header(), profile_);
  }

  PerfData& data_;
  Images& images_;
  const ReadOptions& options_;
  Profile profile_;
  SampleCollector samples_;
  std::vector<EventId> events_;  // by index in the header

  // Samples that wait to be unwound need the map as it is.
  SideBand side_band_{images_, [this](Space& space) {
                        if (space.waiting > 0) unwind_waiting();
                      }};
  CodeFrames code_{profile_, images_, side_band_, options_.keep_addresses};

  PerfSample sample_;
  std::unordered_map<std::uint64_t, std::uint64_t> counted_;  // by event id
  Chain chain_;
  DeferredChains chains_waiting_;
  StackUnwinding unwinding_;
  OffCpu off_cpu_{profile_, data_.header().events};
  WallTime wall_{profile_};
  // The first event that samples running code.
  EventId main_event_{0xffffffff};
  std::vector<Space*> waiting_;
  std::vector<std::uint64_t> swapped_;
  std::uint64_t last_time_ = 0;
  // The clock of jitdumps.
  bool has_monotonic_time_ = true;
};

}  // namespace

SessionResult read_session(PerfData& data, Images& images,
                           const ReadOptions& options) {
  return Session(data, images, options).run();
}

}  // namespace wick

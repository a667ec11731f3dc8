// SPDX-License-Identifier: Apache-2.0
#include "perf/session/off_cpu.h"

#include <algorithm>
#include <utility>

#include "perf/records/tracepoint.h"
#include "profile/off_cpu_reason.h"

namespace wick {

OffCpu::OffCpu(Profile& profile, std::span<const PerfEvent> events)
    : profile_(profile),
      // A thread that sleeps all the time has no switch.
      has_switch_records_(std::ranges::any_of(events,
                                              [](const PerfEvent& event) {
                                                return event.attr.flag(
                                                    attr_flag::kContextSwitch);
                                              })),
      is_rough_(std::ranges::none_of(events, samples_switches)) {}

// Switches happen in the kernel. Without it, the event has samples only of
// threads that were looked at.
bool OffCpu::samples_switches(const PerfEvent& event) {
  return is_switch(event) && !event.attr.flag(attr_flag::kExcludeKernel);
}

bool OffCpu::is_switch(const PerfEvent& event) {
  constexpr std::uint64_t kContextSwitches = 3;
  return event.name == "sched:sched_switch" ||
         (event.attr.type == event_type::kSoftware &&
          event.attr.config == kContextSwitches &&
          event.attr.sample_period == 1);
}

std::uint32_t OffCpu::on_sample(Task& task, std::uint64_t time,
                                std::string_view raw, const PerfEvent& event,
                                Tasks& tasks) {
  switches_.push_back({.reason = reason(event, raw)});
  task.last_switch = static_cast<std::uint32_t>(switches_.size() - 1);
  task.last_switch_time = time;
  if (has_switch_records_) return task.last_switch;
  // Without switch records, the event itself tells who leaves and who comes.
  task.is_off_from_the_start = false;
  task.off_since = task.never_waits() ? 0 : time;
  const TracepointFormat* format = event.tracepoint;
  if (format == nullptr) return task.last_switch;
  const TracepointField* next = format->field("next_pid");
  const auto tid = next == nullptr ? std::nullopt : format->integer(*next, raw);
  if (tid && *tid > 0) {
    const auto number = static_cast<std::uint32_t>(*tid);
    if (Task* known = tasks.find(number)) comes_back(*known, time);
  }
  return task.last_switch;
}

// The prev_state of the thread that leaves.
OffCpuReason OffCpu::reason(const PerfEvent& event, std::string_view raw) {
  const TracepointFormat* format = event.tracepoint;
  if (format == nullptr) return OffCpuReason::kNone;
  const TracepointField* field = format->field("prev_state");
  const auto state =
      field == nullptr ? std::nullopt : format->integer(*field, raw);
  if (!state) return OffCpuReason::kNone;
  constexpr std::int64_t kInterruptible = 1, kUninterruptible = 2,
                         kStates = 255;
  // State 0: still runnable. So does a bit above the states.
  if ((*state & kStates) == 0) return OffCpuReason::kPreempted;
  if ((*state & kInterruptible) != 0) return OffCpuReason::kBlocked;
  return (*state & kUninterruptible) != 0 ? OffCpuReason::kInIo
                                          : OffCpuReason::kBlocked;
}

void OffCpu::on_switch(const SwitchRecord& change, Task& task,
                       std::uint64_t time, std::uint32_t cpu) {
  has_switch_records_ = true;
  if (task.never_waits()) return;
  if (change.out) {
    on_seen(task, time, cpu);
    task.is_off_from_the_start = false;
    task.off_since = time;
    task.was_preempted = change.preempted;
  } else {
    if (!task.is_off()) comes_back_again(task, time, cpu);
    comes_back(task, time);
    task.seen_on = time;
    task.cpu = cpu;
  }
}

// It was on the CPU since it was last seen there, except for what was lost: its
// switches are in the buffers of these CPUs.
void OffCpu::on_seen(Task& task, std::uint64_t time, std::uint32_t cpu) {
  if (time < begin_ || task.never_waits()) return;
  if (has_switch_records_) {
    if (task.is_off()) {
      if (!came_back_unseen(task, time, cpu)) return;
    } else if (task.seen_on != 0) {
      if (const auto gap = lost_.between(task.seen_on, time, task.cpu, cpu))
        note_unknown(task, *gap);
    }
  }
  task.seen_on = time;
  task.cpu = cpu;
}

// False if it cannot have come back: no record of this CPU was lost. It may
// have come and gone elsewhere before.
bool OffCpu::came_back_unseen(Task& task, std::uint64_t time,
                              std::uint32_t cpu) {
  auto gap = lost_.between(task.off_since, time, cpu);
  if (!gap) return false;
  gap->begin = lost_.between(task.off_since, time)->begin;
  if (task.is_off_from_the_start && !task.is_new) {
    gap->begin = task.off_since;  // it may have run then
    task.is_off_from_the_start = false;
    task.off_since = 0;
  } else {
    comes_back(task, gap->begin);
  }
  note_unknown(task, *gap);
  return true;
}

// It has left unseen, and is off the CPU since the last loss.
void OffCpu::comes_back_again(Task& task, std::uint64_t time,
                              std::uint32_t cpu) {
  if (task.seen_on == 0) return;
  if (const auto gap = lost_.between(task.seen_on, time, task.cpu)) {
    note_unknown(task, *gap);
    task.off_since = gap->end;
    task.was_preempted = false;
  } else if (const auto untold =
                 lost_.between(task.seen_on, time, task.cpu, cpu)) {
    note_unknown(task, {untold->begin, time});
  }
}

void OffCpu::on_end(Task& task, std::uint64_t time) {
  if (!task.is_off() && !task.never_waits() && task.seen_on != 0)
    if (const auto gap = lost_.between(task.seen_on, time, task.cpu))
      note_unknown(task, {gap->begin, time});
  comes_back(task, time);
}

void OffCpu::on_cut(Task& task, std::uint64_t time) {
  if (!task.is_off() || task.never_waits()) return;
  const std::uint64_t off_since = task.off_since;
  const std::uint32_t last_switch = task.last_switch;
  const bool from_the_start = task.is_off_from_the_start;
  comes_back(task, time);
  task.off_since = off_since;
  task.last_switch = last_switch;
  task.is_off_from_the_start = from_the_start;
}

std::uint32_t OffCpu::carry_on(Task& task, OffCpuReason reason) {
  switches_.push_back({.reason = reason});
  return task.last_switch = static_cast<std::uint32_t>(switches_.size() - 1);
}

void OffCpu::note_unknown(const Task& task, LostRecords::Gap gap) {
  gap.begin = std::max(gap.begin, begin_);
  if (gap.begin < gap.end) unknown_.push_back({task.tid, gap.end - gap.begin});
}

void OffCpu::comes_back(Task& task, std::uint64_t time) {
  const std::uint64_t left_at = std::exchange(task.off_since, 0);
  // The next time it leaves is another switch, whose sample may be lost.
  const std::uint32_t last_switch =
      std::exchange(task.last_switch, StacklessSample::kNoSwitch);
  const std::uint64_t since = std::max(left_at, begin_);
  if (left_at == 0 || time <= since) return;
  const bool from_the_start = std::exchange(task.is_off_from_the_start, false);
  if (from_the_start && !has_switch_records_) return;
  const ThreadId thread = thread_of(profile_, task);
  // A thread that slept when the recording began may have been looked at.
  const bool has_place =
      !task.is_new && last_switch != StacklessSample::kNoSwitch;
  if (from_the_start && !has_place) {
    pauses_.push_back(
        {since, time, thread, StacklessSample::kNoSwitch, StackId::kRoot,
         task.is_new ? OffCpuReason::kFirstRun : OffCpuReason::kSinceBefore,
         StacklessSample::kNoSwitch, since});
  } else if (last_switch != StacklessSample::kNoSwitch) {
    const OffCpuReason reason = task.was_preempted
                                    ? OffCpuReason::kPreempted
                                    : switches_[last_switch].reason;
    // The switch is sampled before the thread is off the CPU, and it may be
    // woken in between. A preempted thread continues without being woken.
    const std::uint64_t left = std::min(task.last_switch_time, left_at);
    const std::uint32_t waking = reason == OffCpuReason::kPreempted
                                     ? StacklessSample::kNoSwitch
                                     : wakers_.on_back(task, left);
    pauses_.push_back({since, time, thread, last_switch, StackId::kRoot, reason,
                       waking, left});
  } else if (is_rough_) {
    const bool has_stack = index(thread) < last_stacks_.size();
    pauses_.push_back({since, time, thread, StacklessSample::kNoSwitch,
                       has_stack ? last_stacks_[index(thread)] : StackId::kRoot,
                       OffCpuReason::kNearby, StacklessSample::kNoSwitch,
                       since});
  } else {
    // The sample of the switch was lost.
    pauses_.push_back({since, time, thread, StacklessSample::kNoSwitch,
                       StackId::kRoot, OffCpuReason::kNotSampled,
                       StacklessSample::kNoSwitch, since});
  }
}

void OffCpu::add_samples(SampleCollector& samples, WallTime* wall) {
  if (lost_.any() && wall != nullptr)
    for (const Unknown& unknown : unknown_)
      wall->on_unknown(unknown.tid, unknown.nanoseconds);
  if (pauses_.empty()) return;
  const EventId event = profile_.event_id(kOffCpuEventName, "nanoseconds");
  profile_.events[event].time = TimeKind::kOffCpu;
  for (const Pause& pause : pauses_) {
    StackId stack = pause.switch_number == StacklessSample::kNoSwitch
                        ? pause.stack
                        : switches_[pause.switch_number].stack;
    if (pause.reason != OffCpuReason::kNone)
      stack =
          profile_.stacks.push(stack, off_cpu_frame(profile_, pause.reason));
    stack = wakers_.behind(stack, pause.waking, pause.switch_time);
    samples.add({.time = pause.begin,
                 .weight = static_cast<std::int64_t>(pause.end - pause.begin),
                 .stack = stack,
                 .thread = pause.thread,
                 .event = event});
    if (wall != nullptr)
      wall->on_pause(pause.thread, stack, pause.begin, pause.end);
  }
}

}  // namespace wick

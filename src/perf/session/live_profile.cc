// SPDX-License-Identifier: Apache-2.0
#include "perf/session/live_profile.h"

#include <algorithm>
#include <utility>

#include "perf/session/process.h"

namespace wick {

LiveProfile::Part::Part(const std::vector<PerfEvent>& all, Images& images,
                        SideBand& side_band)
    : samples(profile, true), code(profile, images, side_band, true) {
  profile.has_time = true;
  for (const PerfEvent& event : all) {
    if (event.attr.flag(attr_flag::kContextSwitch))
      off_cpu.emplace(profile, all);
    if (OffCpu::is_switch(event)) {
      // Its samples are not counted; time off the CPU is another event.
      events.push_back(EventId{});
      continue;
    }
    constexpr std::uint64_t kTaskClock = 1;  // the one before is cpu-clock
    const bool is_time = event.attr.type == event_type::kSoftware &&
                         event.attr.config <= kTaskClock;
    events.push_back(
        profile.event_id(event.name, is_time ? "nanoseconds" : ""));
    if (is_time) profile.events[events.back()].time = TimeKind::kOnCpu;
  }
}

LiveProfile::LiveProfile(Machine machine, const std::vector<PerfEvent>& events,
                         Images& images, DebugFiles& files,
                         const Options& options)
    : events_(events),
      images_(images),
      side_band_(
          images,
          [this](Space& space) {
            if (space.waiting > 0) unwind();
          },
          options.memory),
      unwinding_(machine, images,
                 {.workers = options.workers,
                  .bytes_stay = true,
                  .is_live = true,
                  .frame_limit = options.frame_limit}),
      names_(images, files, options.names, options.lookup_memory) {
  begin_part(0);
}

void LiveProfile::begin_part(std::uint64_t time) {
  LostRecords lost;
  if (part_ && part_->off_cpu) lost = std::move(part_->off_cpu->lost());
  part_.emplace(events_, images_, side_band_);
  // Whatever refers to frames and threads of the last Profile.
  side_band_.kernel().cache.clear();
  side_band_.kernel().version = next_map_version();
  for (auto& [tid, task] : side_band_.tasks()) task.id = ThreadId::kUnknown;
  if (!part_->off_cpu) return;
  lost.forget_before(time - std::min(time, kLossesKept));
  part_->off_cpu->lost() = std::move(lost);
  part_->off_cpu->begin_at(time);
  carry_waits_on();
}

void LiveProfile::carry_waits_on() {
  constexpr std::uint32_t kNoSwitch = StacklessSample::kNoSwitch;
  std::erase_if(places_, [&](const auto& place) {
    const Task* task = side_band_.tasks().find(place.first);
    return task == nullptr || task->last_switch == kNoSwitch;
  });
  for (auto& [tid, task] : side_band_.tasks()) {
    if (task.last_switch == kNoSwitch) continue;
    task.last_switch = kNoSwitch;
    const auto place = places_.find(tid);
    if (place == places_.end() || task.never_waits()) continue;
    const auto& [reason, chain] = place->second;
    const StacklessSample waits{
        .sample = {.thread = thread_of(part_->profile, task)},
        .switch_number = part_->off_cpu->carry_on(task, reason)};
    part_->off_cpu->set_stack(
        waits.switch_number,
        stack_of(waits, side_band_.space(task.pid), chain));
  }
}

void LiveProfile::visit(const PerfRecord& record) {
  switch (record.type) {
    case RecordType::kSample:
      return on_sample(record);
    case RecordType::kLost:
      return on_lost(record);
    case RecordType::kSwitch:
    case RecordType::kSwitchCpuWide:
      return on_switch(record);
    case RecordType::kFork:
    case RecordType::kExit:
      return on_task(record);
    default:
      visit_side_band(record);
  }
}

void LiveProfile::visit_side_band(const PerfRecord& record) {
  if (!side_band_.visit(record))
    part_->profile.diagnostics.note(Problem::kBadRecord);
}

void LiveProfile::on_task(const PerfRecord& record) {
  const auto change = decode_task(record);
  if (!change || !part_->off_cpu) return visit_side_band(record);
  OffCpu& off_cpu = *part_->off_cpu;
  if (record.type == RecordType::kExit)
    off_cpu.on_exit(side_band_.task(change->pid, change->tid), record.time,
                    decode_record_id(record).cpu);
  visit_side_band(record);
  if (record.type == RecordType::kExit) return;
  Task& task = side_band_.task(change->pid, change->tid);
  // Existing threads are described as forks, too.
  if ((record.misc & misc::kForkExec) != 0)
    off_cpu.on_described(task, record.time);
  else
    off_cpu.on_born(task, record.time);
}

void LiveProfile::on_switch(const PerfRecord& record) {
  const auto change = decode_switch(record);
  if (!change || !part_->off_cpu) return;
  const RecordId id = decode_record_id(record);
  part_->off_cpu->on_switch(*change, side_band_.task(id.pid, id.tid),
                            record.time, id.cpu);
  part_->off_cpu->lost().on_record(record.time, id.cpu);
}

void LiveProfile::on_lost(const PerfRecord& record) {
  if (const auto lost = decode_lost(record))
    part_->profile.diagnostics.note(Problem::kLostSamples, lost->lost);
  if (part_->off_cpu)
    part_->off_cpu->lost().on_lost(record.time, decode_record_id(record).cpu);
}

void LiveProfile::on_sample(const PerfRecord& record) {
  Profile& profile = part_->profile;
  if (!decode_sample(record, sample_)) {
    profile.diagnostics.note(Problem::kBadRecord);
    return;
  }
  const PerfEvent& event = *record.event;
  Task& task = side_band_.task(sample_.pid, sample_.tid);
  const auto number = static_cast<std::size_t>(&event - events_.data());
  StacklessSample out{.sample = {.time = record.time,
                                 .weight = weight_at(record.time),
                                 .thread = thread_of(profile, task),
                                 .event = part_->events[number],
                                 .cpu = sample_.has(sample_type::kCpu)
                                            ? sample_.cpu
                                            : Sample::kNoCpu}};
  if (part_->off_cpu) tell_off_cpu(out, task, event);
  chain_.read(sample_, event.attr, record.cpu_mode());
  Space& space = side_band_.space(sample_.pid);
  if (record.cpu_mode() == misc::kUser) side_band_.runs(space);
  const bool has_copy =
      sample_.user_registers.abi != kRegsAbiNone && !sample_.user_stack.empty();
  if (!has_copy || chain_.user_count() > 0) return take(out, space, chain_);
  unwinding_.add(space, out, chain_, sample_);
  ++space.waiting;
  waiting_.push_back(&space);
  if (unwinding_.is_full()) unwind();
}

void LiveProfile::tell_off_cpu(StacklessSample& stackless, Task& task,
                               const PerfEvent& event) {
  const auto [time, cpu] = std::pair(stackless.sample.time, sample_.cpu);
  OffCpu& off_cpu = *part_->off_cpu;
  off_cpu.on_seen(task, time, cpu);
  off_cpu.lost().on_record(time, cpu);
  if (OffCpu::is_switch(event))
    stackless.switch_number =
        off_cpu.on_sample(task, time, sample_.raw, event, side_band_.tasks());
  else
    off_cpu.on_running(task, time, cpu);
}

std::int64_t LiveProfile::weight_at(std::uint64_t time) {
  for (; !period_changes_.empty() && period_changes_.front().from <= time;
       period_changes_.pop_front())
    period_ = period_changes_.front().nanoseconds;
  if (period_ > 0) return period_;
  return static_cast<std::int64_t>(
      std::min<std::uint64_t>(sample_.period, INT64_MAX));
}

void LiveProfile::unwind() {
  unwinding_.run([&](Space& space, StacklessSample& sample, Chain& chain) {
    take(sample, space, chain);
  });
  for (Space* space : waiting_) space->waiting = 0;
  waiting_.clear();
}

void LiveProfile::take(StacklessSample& stackless, Space& space,
                       const Chain& chain) {
  stackless.sample.stack = stack_of(stackless, space, chain);
  if (stackless.switch_number != StacklessSample::kNoSwitch)
    return set_place(stackless, chain);
  if (stackless.sample.stack == StackId::kRoot)
    part_->profile.diagnostics.note(Problem::kNoStack);
  part_->samples.add(stackless.sample);
}

void LiveProfile::set_place(const StacklessSample& stackless,
                            const Chain& chain) {
  const std::uint32_t number = stackless.switch_number;
  part_->off_cpu->set_stack(number, stackless.sample.stack);
  const auto tid = static_cast<std::uint32_t>(
      part_->profile.threads[stackless.sample.thread].tid);
  if (places_.size() >= kMostPlaces && !places_.contains(tid)) return;
  WaitingPlace& place = places_[tid];
  place.reason = part_->off_cpu->reason_of(number);
  place.chain = chain;
}

StackId LiveProfile::stack_of(const StacklessSample& stackless, Space& space,
                              const Chain& chain) {
  Profile& profile = part_->profile;
  const Sample& sample = stackless.sample;
  if (space.kernel_version != side_band_.kernel().version) {
    space.cache.clear();
    space.kernel_version = side_band_.kernel().version;
  }
  const auto pid =
      static_cast<std::uint32_t>(profile.threads[sample.thread].pid);
  const auto make = [&] {
    StackId stack = StackId::kRoot;
    for (const std::uint64_t address : chain.user_callers_first())
      stack = profile.stacks.push(
          stack, part_->code.user_frame(space, address, pid, sample.time));
    for (const std::uint64_t address : chain.kernel_callers_first())
      stack = profile.stacks.push(stack, part_->code.kernel_frame(address));
    return stack;
  };
  return part_->code.has_jitdump(space)
             ? make()
             : space.cache.stack(chain.words(), make);
}

void LiveProfile::end_round() {
  unwind();
  const bool has_many_names = images_.has_many_names();
  if (has_many_names) side_band_.forget_unmapped_images();
  if (images_.is_short_of_memory() ? images_.trim() : has_many_names)
    unwinding_.forget_rules();
}

Profile LiveProfile::cut(std::uint64_t time) {
  end_round();
  if (part_->off_cpu) {
    for (auto& [tid, task] : side_band_.tasks())
      part_->off_cpu->on_cut(task, time);
    part_->off_cpu->add_samples(part_->samples, nullptr);
    sort_samples(part_->profile);
  }
  unwinding_.note_ends(part_->profile.diagnostics);
  unwinding_.forget_ends();
  const CodeLocations code = part_->code.locations();
  Profile profile = names_.name(std::move(part_->profile), code);
  begin_part(time);
  return profile;
}

}  // namespace wick

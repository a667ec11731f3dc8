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
  begin_part();
}

void LiveProfile::begin_part() {
  part_.emplace(events_, images_, side_band_);
  // Whatever refers to frames and threads of the last Profile.
  side_band_.kernel().cache.clear();
  side_band_.kernel().version = next_map_version();
  for (auto& [tid, task] : side_band_.tasks()) task.id = ThreadId::kUnknown;
}

void LiveProfile::visit(const PerfRecord& record) {
  switch (record.type) {
    case RecordType::kSample:
      return on_sample(record);
    case RecordType::kLost:
      return on_lost(record);
    default:
      if (!side_band_.visit(record))
        part_->profile.diagnostics.note(Problem::kBadRecord);
  }
}

void LiveProfile::on_lost(const PerfRecord& record) {
  if (const auto lost = decode_lost(record))
    part_->profile.diagnostics.note(Problem::kLostSamples, lost->lost);
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
  chain_.read(sample_, event.attr, record.cpu_mode());
  Space& space = side_band_.space(sample_.pid);
  if (record.cpu_mode() == misc::kUser) side_band_.runs(space);
  const bool has_copy =
      sample_.user_registers.abi != kRegsAbiNone && !sample_.user_stack.empty();
  if (!has_copy || chain_.user_count() > 0) return add(out, space, chain_);
  unwinding_.add(space, out, chain_, sample_);
  ++space.waiting;
  waiting_.push_back(&space);
  if (unwinding_.is_full()) unwind();
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
    add(sample, space, chain);
  });
  for (Space* space : waiting_) space->waiting = 0;
  waiting_.clear();
}

void LiveProfile::add(StacklessSample& stackless, Space& space,
                      const Chain& chain) {
  Profile& profile = part_->profile;
  Sample& sample = stackless.sample;
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
  sample.stack = part_->code.has_jitdump(space)
                     ? make()
                     : space.cache.stack(chain.words(), make);
  if (sample.stack == StackId::kRoot)
    profile.diagnostics.note(Problem::kNoStack);
  part_->samples.add(sample);
}

void LiveProfile::end_round() {
  unwind();
  const bool has_many_names = images_.has_many_names();
  if (has_many_names) side_band_.forget_unmapped_images();
  if (images_.is_short_of_memory() ? images_.trim() : has_many_names)
    unwinding_.forget_rules();
}

Profile LiveProfile::cut() {
  end_round();
  unwinding_.note_ends(part_->profile.diagnostics);
  unwinding_.forget_ends();
  const CodeLocations code = part_->code.locations();
  Profile profile = names_.name(std::move(part_->profile), code);
  begin_part();
  return profile;
}

}  // namespace wick

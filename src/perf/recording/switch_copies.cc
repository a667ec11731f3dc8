// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/switch_copies.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/time_text.h"
#include "perf/session/off_cpu.h"

namespace wick {
namespace {

// No tracepoint has this number.
constexpr const char* kMatchesNothing = "common_type == 0";
// Nanoseconds; a switch may be sampled just when its event ends.
constexpr std::uint64_t kLongestSampling = 1'000'000'000;

}  // namespace

// Both samples are taken on the CPU that the thread leaves, and before the
// record that it has left.
bool DoubleSwitches::is_second(const PerfRecord& record) {
  if (record.type == RecordType::kSwitch ||
      record.type == RecordType::kSwitchCpuWide)
    leaving_.erase(decode_record_id(record).cpu);
  if (record.type != RecordType::kSample ||
      (record.event != one_ && record.event != other_) ||
      !decode_sample(record, sample_))
    return false;
  Left& left = leaving_[sample_.cpu];
  const bool is_second = left.tid == sample_.tid && left.event != nullptr &&
                         left.event != record.event;
  left = {.tid = sample_.tid, .event = record.event};
  return is_second;
}

SwitchCopies::SwitchCopies(const OpenedEvents& events,
                           std::span<const PerfEvent> known) {
  for (std::size_t i = 0; i < known.size(); ++i) {
    const OpenedEvent& event = events.all()[i];
    if (!event.plan.spec.is_tracepoint || !OffCpu::is_switch(known[i]))
      continue;
    if (event.plan.is_spare)
      spare_ = {&event, &known[i]};
    else if (event.plan.filter.empty())
      usual_ = {&event, &known[i]};
  }
}

std::uint32_t SwitchCopies::size() const {
  const Switches& current = shrunk_at_ > 0 ? spare_ : usual_;
  return current.event == nullptr ? 0 : current.event->attr().sample_stack_user;
}

void SwitchCopies::shrink(const Now& now) {
  if (spare_.event == nullptr || usual_.event == nullptr || shrunk_at_ > 0)
    return;
  shrunk_at_ = now();
  for (const UniqueFd& fd : spare_.event->fds) enable_event(fd.get());
  for (const UniqueFd& fd : usual_.event->fds)
    set_event_filter(fd.get(), kMatchesNothing);
  last_double_at_ = now() + kLongestSampling;
  doubles_.emplace(*usual_.known, *spare_.known);
}

std::string SwitchCopies::limitation(std::uint64_t begin) const {
  const std::uint64_t elapsed = shrunk_at_ - std::min(shrunk_at_, begin);
  return fmt::format(
      "threads left the CPU too often for larger copies; after {}, only {} of "
      "their stacks were copied when they did, and deeper stacks are cut",
      time_text(static_cast<double>(elapsed)), size_text(size()));
}

bool SwitchCopies::is_double(const PerfRecord& record) {
  return doubles_ && record.time >= shrunk_at_ &&
         record.time <= last_double_at_ && doubles_->is_second(record);
}

}  // namespace wick

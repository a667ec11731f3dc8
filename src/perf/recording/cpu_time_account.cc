// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/cpu_time_account.h"

#include <algorithm>
#include <cmath>

#include "perf/events/event_open.h"

namespace wick {
namespace {

bool counts_time(const EventAttr& attr) {
  return attr.type == event_type::kSoftware &&
         (attr.config == software_event::kCpuClock ||
          attr.config == software_event::kTaskClock);
}

std::uint64_t average_period(const CpuTimes& times) {
  return times.samples > 0 ? times.sampled / times.samples : times.period;
}

// Each task loses a part of a period, unless it is sampled with its CPU.
double most_by_age(const CpuTimes& times) {
  if (times.is_by_cpu) return 0;
  return static_cast<double>(times.tasks) *
         static_cast<double>(average_period(times));
}

// What the program used without being counted, if it was not let to be. A task
// is no longer counted while it ends, which takes a tenth of a millisecond, and
// before the program begins, its process takes a few.
std::uint64_t refused_time(const CpuTimes& times) {
  constexpr std::uint64_t kBeforeExec = 10'000'000, kEnd = 300'000;
  if (!times.is_time || !times.used || *times.used <= times.counted) return 0;
  const std::uint64_t uncounted = *times.used - times.counted;
  if (times.is_refused && times.samples == 0) return uncounted;
  const std::uint64_t usual =
      std::max(kBeforeExec, *times.used / 20) + times.tasks * kEnd;
  return uncounted > usual ? uncounted : 0;
}

// Counts for each descendant what `sampled` counts on its CPU.
EventAttr counter_of(const EventAttr& sampled) {
  EventAttr attr;
  attr.type = sampled.type;
  attr.config = sampled.config;
  attr.config1 = sampled.config1;
  attr.config2 = sampled.config2;
  constexpr std::uint64_t kSame =
      attr_flag::kExcludeUser | attr_flag::kExcludeKernel |
      attr_flag::kExcludeHypervisor | attr_flag::kInheritThread;
  attr.flags = (sampled.flags & kSame) | attr_flag::kDisabled |
               attr_flag::kInherit | attr_flag::kEnableOnExec;
  attr.read_format = read_format::kTimeEnabled | read_format::kTimeRunning;
  return attr;
}

}  // namespace

std::uint64_t missing_beyond_chance(const CpuTimes& times) {
  const auto period = static_cast<double>(average_period(times));
  const auto counted = static_cast<double>(times.counted);
  double missing = counted - static_cast<double>(times.sampled) -
                   static_cast<double>(times.lost) * period;
  if (times.is_user_only && !times.is_kernel_wanted)
    missing = std::min(missing, most_by_age(times));
  const double chance = 3 * std::sqrt(counted * period);
  if (period == 0 || missing <= std::max(chance, counted / 20)) return 0;
  return static_cast<std::uint64_t>(missing);
}

std::uint64_t note_unsampled(CpuTimes times, Diagnostics& diagnostics) {
  const std::uint64_t used = times.used.value_or(0);
  const std::uint64_t whole =
      times.is_time ? std::max(times.counted, used) : used;
  if (const std::uint64_t refused = refused_time(times); refused > 0)
    diagnostics.note_time(Problem::kMayNotBeSampled, refused, whole);
  else if (times.is_time)
    times.counted = whole;
  const std::uint64_t missing = missing_beyond_chance(times);
  if (missing == 0) return whole;
  Problem reason = Problem::kNotSampled;
  if (times.is_user_only)
    reason = Problem::kKernelOrShortLived;
  else if (static_cast<double>(missing) <= most_by_age(times))
    reason =
        times.is_attached ? Problem::kShortLivedChildren : Problem::kShortLived;
  const double share =
      static_cast<double>(missing) / static_cast<double>(times.counted);
  diagnostics.note_time(reason,
                        times.is_time ? missing
                                      : static_cast<std::uint64_t>(
                                            share * static_cast<double>(whole)),
                        whole);
  return whole;
}

CpuTimeAccount::CpuTimeAccount(const PerfEvent& event, pid_t program,
                               const std::vector<int>& cpus,
                               const KernelLimits& limits)
    : event_(event), attr_(counter_of(event.attr)) {
  describe(event.attr);
  if (!times_.is_time && event.attr.type != event_type::kHardware) return;
  const std::vector<int> everywhere = {-1};
  counters_per_thread_ = std::max<std::size_t>(cpus.size(), 1);
  for (const int cpu : cpus.empty() ? everywhere : cpus) {
    std::uint32_t given_up = 0;
    OpenResult opened =
        try_open_event(attr_, {.pid = program, .cpu = cpu}, limits, given_up);
    if (!opened.fd) {
      counters_.clear();
      return;
    }
    counters_.push_back(opened.fd.get());
    own_.push_back(std::move(opened.fd));
  }
}

CpuTimeAccount::CpuTimeAccount(const PerfEvent& event,
                               std::span<const UniqueFd> fds, std::size_t cpus)
    : event_(event),
      attr_(event.attr),
      counters_per_thread_(std::max<std::size_t>(cpus, 1)) {
  describe(event.attr);
  times_.is_attached = true;
  if (!times_.is_time && event.attr.type != event_type::kHardware) return;
  for (const UniqueFd& fd : fds) counters_.push_back(fd.get());
}

void CpuTimeAccount::describe(const EventAttr& sampled) {
  times_.is_time = counts_time(sampled);
  times_.is_by_cpu = !sampled.flag(attr_flag::kInherit);
  times_.is_user_only =
      times_.is_time && sampled.flag(attr_flag::kExcludeKernel);
  if (!sampled.is_frequency())
    times_.period = sampled.sample_period;
  else if (times_.is_time)
    times_.period =
        1'000'000'000 / std::max<std::uint64_t>(sampled.sample_period, 1);
}

// A hardware counter that others use as well runs for a part of the time. A
// counter for one CPU is enabled while the thread runs on any, so what a thread
// missed shows only in the sum of all of its counters.
CpuTimeAccount::Counts CpuTimeAccount::count() const {
  double events = 0, enabled = 0, running = 0;
  for (const int fd : counters_) {
    const EventCount read = read_event(fd, attr_);
    events += static_cast<double>(read.value);
    enabled += static_cast<double>(read.enabled);
    running += static_cast<double>(read.running);
  }
  enabled /= static_cast<double>(counters_per_thread_);
  const bool may_be_shared = !times_.is_time && running > 0;
  if (may_be_shared) events *= std::max(1.0, enabled / running);
  return {.events = static_cast<std::uint64_t>(events),
          .time = static_cast<std::uint64_t>(running)};
}

void CpuTimeAccount::end() {
  const Counts now = count();
  times_.counted = now.events - before_.events;
  if (times_.is_attached && !times_.is_time)
    times_.used = now.time - before_.time;
}

void CpuTimeAccount::on_sample(const PerfRecord& sample) {
  if (!is_open() || sample.event != &event_ || !decode_sample(sample, sample_))
    return;
  ++times_.samples;
  times_.sampled += sample_.period;
}

CpuTimes CpuTimeAccount::times(CpuTimes others) const {
  CpuTimes all = times_;
  all.lost = others.lost;
  all.tasks = others.tasks;
  if (others.used) all.used = others.used;
  all.is_refused = others.is_refused;
  all.is_kernel_wanted = others.is_kernel_wanted;
  return all;
}

}  // namespace wick

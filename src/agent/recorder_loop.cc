// SPDX-License-Identifier: Apache-2.0
#include "agent/recorder_loop.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "agent/own_cost.h"
#include "base/error.h"

namespace wick {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t clock_time(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * kSecond + now.tv_nsec;
}

// Until the clock on the wall is at a whole second, so that ten batches are
// what happened between 12:00:10 and 12:00:20. After a batch that came late,
// the next second is left to the one that follows.
std::int64_t next_due_ns(std::int64_t unix_ns, std::int64_t boot_ns) {
  constexpr std::int64_t kLeast = kSecond / 4;
  std::int64_t rest = kSecond - unix_ns % kSecond;
  if (rest < kLeast) rest += kSecond;
  return boot_ns + rest;
}

std::string new_agent() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) !=
      static_cast<ssize_t>(sizeof number))
    fail("no random numbers: {}", last_system_error());
  return fmt::format("{:016x}", number);
}

// Samples of equal stack, thread and event become one.
Profile without_times(Profile profile) {
  std::vector<Sample> samples;
  samples.swap(profile.samples);
  profile.sample_counts.clear();
  profile.has_time = false;
  SampleCollector sums(profile, false);
  for (const Sample& sample : samples) sums.add(sample);
  return profile;
}

// Where a batch begins on the wall: where the one before ended, so that every
// moment is in one of them, unless the clock was set in between.
std::int64_t begin_ns(const HostMetrics& before, const HostMetrics& now) {
  constexpr std::int64_t kAdjusted = 10'000'000;  // as time servers do
  const std::int64_t begin = now.unix_ns - (now.boot_ns - before.boot_ns);
  return std::abs(begin - before.unix_ns) < kAdjusted ? before.unix_ns : begin;
}

}  // namespace

RecorderLoop::RecorderLoop(const RecorderLoopOptions& options)
    : options_(options), agent_(new_agent()) {
  try {
    sampler_.emplace(SamplerOptions{.frequency = options.frequency,
                                    .off_cpu = options.off_cpu,
                                    .memory = options.memory});
    limitations_ = sampler_->limitations();
  } catch (const Error& error) {
    limitations_.push_back(
        fmt::format("no profiles are recorded: {}", error.what()));
  }
  before_ = measure();
  processes_.read(before_.boot_ns, kBusiest);
  busiest_at_ns_ = before_.boot_ns;
  due_ns_ = next_due_ns(before_.unix_ns, before_.boot_ns);
}

HostMetrics RecorderLoop::measure() {
  HostMetrics metrics = host_.read();
  add_own_cost(::getpid(), "recorder", metrics);
  if (server_ > 0) add_own_cost(server_, "server", metrics);
  return metrics;
}

bool RecorderLoop::is_due() const {
  return clock_time(CLOCK_BOOTTIME) >= due_ns_;
}

void RecorderLoop::take(std::chrono::milliseconds timeout) {
  const std::int64_t rest_ms =
      (due_ns_ - clock_time(CLOCK_BOOTTIME) + 999'999) / 1'000'000;
  const auto wait =
      std::clamp<std::int64_t>(rest_ms, 0, std::int64_t{timeout.count()});
  if (!sampler_) {
    ::poll(nullptr, 0, static_cast<int>(wait));
    return;
  }
  sampler_->take(std::chrono::milliseconds(wait));
  note_forks();
}

void RecorderLoop::note_forks() {
  for (const ForkedProcess& fork : sampler_->take_forks())
    places_.on_fork(fork.parent, fork.pid);
}

Batch RecorderLoop::cut() {
  const HostMetrics now = measure();
  Batch batch{.agent = agent_,
              .sequence = ++sequence_,
              .host = options_.host,
              .from_ns = begin_ns(before_, now),
              .to_ns = now.unix_ns};
  add_profile(batch);
  add_metrics(now, batch);
  add_processes(now, batch);
  for (const auto& [reason, count] : losses_)
    batch.losses.push_back({reason, count});
  losses_.clear();
  due_ns_ = next_due_ns(now.unix_ns, now.boot_ns);
  before_ = now;
  return batch;
}

void RecorderLoop::add_profile(Batch& batch) {
  if (!sampler_) return;
  batch.profile = without_times(sampler_->cut());
  note_forks();
  batch.processes = places_.of(batch.profile);
  for (const Diagnostics::Entry& entry : batch.profile.diagnostics.entries())
    if (info(entry.problem).is_loss)
      add_loss(info(entry.problem).many, entry.count);
}

void RecorderLoop::add_metrics(const HostMetrics& now, Batch& batch) {
  for (const MetricValue& value : rates(before_, now))
    batch.metrics.push_back({std::string(info(value.metric).name), value.label,
                             value.value, value.value});
}

void RecorderLoop::add_processes(const HostMetrics& now, Batch& batch) {
  processes_.read_some_pss(now.boot_ns);
  // A little less, since no second is exactly one.
  if (now.boot_ns - busiest_at_ns_ < kBusiestSeconds * kSecond - kSecond / 2)
    return;
  batch.busiest = processes_.read(now.boot_ns, kBusiest);
  busiest_at_ns_ = now.boot_ns;
}

void RecorderLoop::set_frequency(int frequency) {
  if (sampler_) sampler_->set_frequency(frequency);
}

void RecorderLoop::add_loss(std::string_view reason, std::uint64_t count) {
  if (count > 0) losses_[std::string(reason)] += count;
}

}  // namespace wick

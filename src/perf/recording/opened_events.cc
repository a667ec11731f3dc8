// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/opened_events.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "perf/events/cgroups.h"
#include "perf/recording/proc_events.h"

namespace wick {
namespace {

std::vector<pid_t> all_threads(const RecordOptions& options) {
  std::vector<pid_t> threads = options.threads;
  for (const pid_t pid : options.processes) {
    const std::vector<pid_t> own = list_threads(pid);
    if (own.empty()) fail("there is no process {}", pid);
    threads.insert(threads.end(), own.begin(), own.end());
  }
  // A thread named twice is recorded once.
  std::ranges::sort(threads);
  const auto again = std::ranges::unique(threads);
  threads.erase(again.begin(), again.end());
  return threads;
}

}  // namespace

OpenedEvents::OpenedEvents(const RecordingPlan& plan,
                           const RecordOptions& options,
                           const KernelLimits& limits, pid_t program,
                           std::vector<std::string>& limitations)
    : plan_(plan), options_(options), limits_(limits) {
  for (const PlannedEvent& planned : plan.events)
    events_.push_back({.plan = planned, .fds = {}, .ids = {}});
  const std::vector<OpenTarget> of_threads = targets(program);
  std::vector<OpenTarget> of_cpus;
  for (const int cpu : plan.cpus) of_cpus.push_back({.pid = -1, .cpu = cpu});
  for (OpenedEvent& event : events_) {
    const auto& wanted = event.plan.is_everywhere ? of_cpus : of_threads;
    const std::vector<int>& cpus = event.plan.spec.cpus;
    for (const OpenTarget& target : wanted)
      if (cpus.empty() || std::ranges::find(cpus, target.cpu) != cpus.end())
        open(event, target, of_threads.size());
    if (event.fds.empty()) fail("everything to be recorded has ended");
  }
  for (const std::string_view what : describe_given_up(given_up_))
    limitations.push_back(fmt::format("not recorded: {}", what));
}

std::vector<OpenTarget> OpenedEvents::targets(pid_t program) {
  std::vector<OpenTarget> targets;
  if (!options_.cgroup.empty()) cgroup_ = open_cgroup(options_.cgroup);
  std::vector<pid_t> threads = all_threads(options_);
  if (options_.records_program()) threads = {program};
  if (options_.system_wide || cgroup_) threads = {-1};
  if (threads.empty()) fail_usage("there is nothing to record");
  for (const pid_t thread : threads)
    for (const int cpu : plan_.cpus) {
      OpenTarget target{.pid = thread, .cpu = cpu};
      if (cgroup_) target.cgroup_fd = cgroup_.get();
      targets.push_back(target);
    }
  return targets;
}

void OpenedEvents::open(OpenedEvent& event, const OpenTarget& target,
                        std::size_t target_count) {
  OpenResult opened =
      try_open_event(event.plan.attr, target, limits_, given_up_);
  // A thread may have ended since it was listed.
  if (opened.failure == OpenFailure::kNoProcess && target_count > 1) return;
  if (opened.failure == OpenFailure::kTooManyFiles)
    throw too_many_files_error(target_count / plan_.cpus.size(),
                               plan_.cpus.size(), sampled_events(), limits_);
  if (!opened.fd)
    throw open_error(opened, event.plan.spec.name, event.plan.attr, target,
                     limits_);
  event.ids.push_back(event_id(opened.fd.get()));
  if (event.plan.is_filtered)
    set_event_filter(opened.fd.get(), options_.filter);
  cpu_of_.push_back(static_cast<std::size_t>(
      std::ranges::find(plan_.cpus, target.cpu) - plan_.cpus.begin()));
  event.fds.push_back(std::move(opened.fd));
}

// A side-band event has its own CPUs, not those of the first event.
std::size_t OpenedEvents::sampled_events() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      events_,
      [](const OpenedEvent& event) { return !event.plan.is_side_band; }));
}

std::size_t OpenedEvents::lasting() const {
  std::size_t count = 0;
  for (const OpenedEvent& event : events_)
    if (event.plan.is_everywhere) count += event.fds.size();
  return count;
}

RingBuffers OpenedEvents::map_buffers(
    std::vector<std::string>& limitations) const {
  std::vector<int> leaders(plan_.cpus.size(), -1);
  std::vector<std::pair<int, std::size_t>> others;
  std::size_t i = 0;
  for (const OpenedEvent& event : events_)
    for (const UniqueFd& fd : event.fds) {
      const std::size_t cpu = cpu_of_[i++];
      if (leaders[cpu] < 0)
        leaders[cpu] = fd.get();
      else
        others.emplace_back(fd.get(), cpu);
    }
  // CPUs on which nothing was opened have no buffer.
  std::vector<int> used;
  std::ranges::copy_if(leaders, std::back_inserter(used),
                       [](int fd) { return fd >= 0; });
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  RingBuffers rings(used, plan_.buffer_size / page);
  const std::size_t size = rings.pages() * page;
  if (options_.buffer_size > 0 && size < plan_.buffer_size)
    limitations.push_back(
        explain_smaller_buffers(size, plan_.buffer_size, rings.refusal()));
  for (const auto& [fd, cpu] : others) rings.redirect(fd, leaders[cpu]);
  return rings;
}

void OpenedEvents::enable() const {
  for (const OpenedEvent& event : events_)
    if (event.plan.is_everywhere || !plan_.begins_with_exec)
      for (const UniqueFd& fd : event.fds) enable_event(fd.get());
}

void OpenedEvents::disable() const {
  for (const OpenedEvent& event : events_)
    for (const UniqueFd& fd : event.fds) disable_event(fd.get());
}

std::string explain_smaller_buffers(std::size_t size, std::size_t wanted,
                                    int refusal) {
  std::string text =
      fmt::format("buffers have {} per CPU instead of {}: ", size_text(size),
                  size_text(wanted));
  if (refusal != EPERM)
    return text + "the kernel has no memory for larger ones";
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return text + fmt::format(
                    "no more memory may be locked; `sudo sysctl "
                    "kernel.perf_event_mlock_kb={}` allows it",
                    (wanted + page) / 1024);
}

}  // namespace wick

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

namespace wick {
OpenedEvents::OpenedEvents(const RecordingPlan& plan,
                           const RecordOptions& options,
                           const KernelLimits& limits, pid_t program,
                           std::vector<std::string>& limitations)
    : plan_(plan), options_(options), limits_(limits) {
  for (const PlannedEvent& planned : plan.events)
    events_.push_back({.plan = planned, .fds = {}, .ids = {}, .cpu_at = {}});
  if (!options_.cgroup.empty()) cgroup_ = open_cgroup(options_.cgroup);
  if (options_.records_program())
    open_on(on_all_cpus(program));
  else if (options_.system_wide || cgroup_)
    open_on(on_all_cpus(-1));
  else
    open_threads();
  open_everywhere();
  if (options_.records_program()) filter_by_tree(program);
  for (const OpenedEvent& event : events_)
    if (event.fds.empty()) fail("everything to be recorded has ended");
  for (const std::string_view what : describe_given_up(given_up_))
    limitations.push_back(fmt::format("not recorded: {}", what));
  if (!refused_.empty())
    limitations.push_back(fmt::format(
        "not recorded: {} of descendants (the first is {}): the kernel does "
        "not allow it, since they run as another user; record as root",
        counted(refused_.size(), "thread"), *refused_.begin()));
}

void OpenedEvents::open_threads() {
  if (options_.processes.empty() && options_.threads.empty())
    fail_usage("there is nothing to record");
  AttachedThreads threads(options_);
  bool are_late = false;
  while (true) {
    std::vector<OpenTarget> targets;
    for (const pid_t thread : threads.next())
      std::ranges::copy(on_all_cpus(thread), std::back_inserter(targets));
    if (targets.empty()) return;
    open_on(targets, are_late);
    are_late = true;
  }
}

void OpenedEvents::open_everywhere() {
  for (OpenedEvent& event : events_)
    if (event.plan.is_everywhere)
      for (const OpenTarget& target : on_all_cpus(-1)) open(event, target, 1);
}

// An event that takes no filter samples others, too.
void OpenedEvents::filter_by_tree(pid_t program) {
  for (const OpenedEvent& event : events_) {
    if (!event.plan.is_everywhere || event.plan.spec.is_tracepoint) continue;
    if (!tree_filter_) tree_filter_ = TreeFilter::load(program);
    if (!tree_filter_) return;
    for (const UniqueFd& fd : event.fds) tree_filter_->apply(fd.get());
  }
}

std::vector<OpenTarget> OpenedEvents::on_all_cpus(pid_t thread) const {
  std::vector<OpenTarget> targets;
  for (const int cpu : plan_.cpus) {
    targets.push_back({.pid = thread, .cpu = cpu});
    if (cgroup_) targets.back().cgroup_fd = cgroup_.get();
  }
  return targets;
}

void OpenedEvents::open_on(std::span<const OpenTarget> targets, bool are_late) {
  for (OpenedEvent& event : events_) {
    if (event.plan.is_everywhere) continue;
    for (const OpenTarget& target : targets)
      if (open(event, target, targets.size() + (are_late ? 1 : 0)) && are_late)
        late_.add(event.ids.back(), target.pid, target.cpu);
  }
}

bool OpenedEvents::open(OpenedEvent& event, const OpenTarget& target,
                        std::size_t target_count) {
  const std::vector<int>& cpus = event.plan.spec.cpus;
  if (!cpus.empty() && std::ranges::find(cpus, target.cpu) == cpus.end())
    return false;
  OpenResult opened =
      try_open_event(event.plan.attr, target, limits_, given_up_);
  if (may_be_skipped(opened, target, target_count)) return false;
  if (opened.failure == OpenFailure::kTooManyFiles)
    throw too_many_files_error(target_count / plan_.cpus.size(),
                               plan_.cpus.size(), sampled_events(), limits_);
  if (!opened.fd)
    throw open_error(opened, event.plan.spec.name, event.plan.attr, target,
                     limits_);
  event.ids.push_back(event_id(opened.fd.get()));
  if (!event.plan.filter.empty())
    set_event_filter(opened.fd.get(), event.plan.filter);
  event.cpu_at.push_back(static_cast<std::size_t>(
      std::ranges::find(plan_.cpus, target.cpu) - plan_.cpus.begin()));
  event.fds.push_back(std::move(opened.fd));
  return true;
}

// A thread may have ended since it was listed, and a descendant may belong to
// another user.
bool OpenedEvents::may_be_skipped(const OpenResult& opened,
                                  const OpenTarget& target,
                                  std::size_t target_count) {
  const auto is_in = [&](const std::vector<pid_t>& ids) {
    return std::ranges::find(ids, target.pid) != ids.end();
  };
  if (opened.failure == OpenFailure::kNoProcess) return target_count > 1;
  if (opened.failure != OpenFailure::kNotAllowed ||
      options_.processes.empty() || is_in(options_.processes) ||
      is_in(options_.threads))
    return false;
  refused_.insert(target.pid);
  return true;
}

// A side-band event has its own CPUs, not those of the first event.
std::size_t OpenedEvents::sampled_events() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      events_,
      [](const OpenedEvent& event) { return !event.plan.is_side_band; }));
}

const OpenedEvent& OpenedEvents::side_band() const {
  const auto found =
      std::ranges::find_if(events_, [](const OpenedEvent& event) {
        return event.attr().flag(attr_flag::kTask);
      });
  return found == events_.end() ? events_.front() : *found;
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
  for (const OpenedEvent& event : events_)
    for (std::size_t i = 0; i < event.fds.size(); ++i) {
      const std::size_t cpu = event.cpu_at[i];
      const int fd = event.fds[i].get();
      if (leaders[cpu] < 0)
        leaders[cpu] = fd;
      else
        others.emplace_back(fd, cpu);
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
    if (!event.plan.is_spare &&
        (event.plan.is_everywhere || !plan_.begins_with_exec))
      for (const UniqueFd& fd : event.fds) enable_event(fd.get());
}

void OpenedEvents::disable() {
  for (const OpenedEvent& event : events_)
    for (const UniqueFd& fd : event.fds) disable_event(fd.get());
  if (!tree_filter_) return;
  closing_ = std::jthread(
      [filter = std::move(tree_filter_)]() mutable { filter.reset(); });
  tree_filter_.reset();
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

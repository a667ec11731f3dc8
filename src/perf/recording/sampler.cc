// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/sampler.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include <deque>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "object/debug_files.h"
#include "object/elf/machine.h"
#include "object/images.h"
#include "perf/events/kernel_limits.h"
#include "perf/events/ring_buffer.h"
#include "perf/file/build_ids.h"
#include "perf/recording/opened_events.h"
#include "perf/recording/proc_events.h"
#include "perf/recording/record_options.h"
#include "perf/recording/record_window.h"
#include "perf/recording/recorded_processes.h"
#include "perf/recording/recording_memory.h"
#include "perf/recording/recording_plan.h"
#include "perf/recording/tracing_data.h"
#include "perf/session/live_profile.h"

namespace wick {
namespace {

RecordOptions record_options(const SamplerOptions& options) {
  RecordOptions out;
  out.system_wide = true;
  // Its samples say how much time they stand for.
  out.events = "cpu-clock";
  out.frequency = options.frequency;
  out.cpus = options.cpus;
  out.memory = options.memory;
  out.off_cpu = options.off_cpu;
  // Copies at each switch would cost too much for years.
  out.copies_at_switches = false;
  return out;
}

std::string no_tracepoints(const KernelLimits& limits) {
  const std::string help = limits.help_with_tracepoints();
  return fmt::format(
      "time off the CPU is not recorded without access to tracepoints{}",
      help.empty() ? "" : fmt::format("; `{}` grants it", help));
}

}  // namespace

class Sampler::Impl {
 public:
  explicit Impl(const SamplerOptions& options)
      : options_(record_options(options)),
        limits_(read_kernel_limits()),
        memory_(options.memory) {
    raise_open_files_limit();
    std::string no_off_cpu;
    if (options_.off_cpu && !limits_.may_use_tracepoints()) {
      options_.off_cpu = false;
      no_off_cpu = no_tracepoints(limits_);
    }
    plan_ = plan_recording(options_, limits_);
    limitations_ = std::move(plan_.limitations);
    if (!no_off_cpu.empty()) limitations_.push_back(std::move(no_off_cpu));
    open();
    live_.emplace(own_machine(), header_.events, images_, files_,
                  LiveProfile::Options{.workers = 1,
                                       .frame_limit = limits_.max_stack,
                                       .memory = memory_.processes,
                                       .names = memory_.addresses,
                                       .lookup_memory = options.memory});
    const SampledFile kernel[] = {
        {.path = "[kernel.kallsyms]", .in_kernel = true}, {.path = "[vdso]"}};
    for (const PerfHeader::BuildId& known : read_build_ids(kernel))
      live_->add_build_id(known);
    const std::uint64_t opened = now();
    events_->enable();
    processes_->describe_what_runs(limits_, opened, [this] {
      if (rings_->are_filled_to(0.5)) drain();
    });
    live_->end_round();
  }

  void take(std::chrono::milliseconds timeout) {
    rings_->wait(timeout);
    take_until(now());
  }

  Profile cut() {
    const std::uint64_t time = now();
    take_until(time);
    Profile profile = live_->cut(time);
    profile.diagnostics.note(Problem::kBadRecord,
                             window_->unknown() - unknown_);
    unknown_ = window_->unknown();
    return profile;
  }

  std::vector<ForkedProcess> take_forks() {
    std::vector<ForkedProcess> forks(forks_.begin(), forks_.end());
    forks_.clear();
    return forks;
  }

  // The kernel has made a period of the frequency that its clock was opened
  // with.
  void set_frequency(int frequency) {
    std::uint64_t period =
        1'000'000'000 / static_cast<std::uint64_t>(frequency);
    for (const OpenedEvent& event : events_->all())
      if (event.plan.spec.type == event_type::kSoftware &&
          event.attr().is_frequency())
        for (const UniqueFd& fd : event.fds)
          if (::ioctl(fd.get(), PERF_EVENT_IOC_PERIOD, &period) != 0)
            fail("the kernel does not change the frequency: {}",
                 last_system_error());
    live_->set_period(now(), static_cast<std::int64_t>(period));
  }

  const std::vector<std::string>& limitations() const { return limitations_; }

 private:
  std::uint64_t now() const { return event_clock_now(events_->front().attr()); }

  void open() {
    events_.emplace(plan_, options_, limits_, -1, limitations_);
    rings_.emplace(events_->map_buffers(limitations_));
    for (const OpenedEvent& event : events_->all()) {
      PerfEvent& known = header_.events.emplace_back();
      known.name = event.plan.spec.name;
      known.attr = event.attr();
      known.layout = id_layout(event.attr());
      known.ids = event.ids;
    }
    header_.index_ids();
    if (options_.off_cpu) describe_switches();
    window_.emplace(header_);
    processes_.emplace(options_, *events_, *window_,
                       [this](const PerfRecord& record, std::string_view) {
                         live_->visit(record);
                       });
  }

  // For the reasons why threads leave the CPU.
  void describe_switches() {
    const std::string name = "sched:sched_switch";
    header_.tracepoints = read_tracing_data(collect_tracing_data({&name, 1}));
    for (PerfEvent& event : header_.events)
      if (event.name == name && !header_.tracepoints.empty())
        event.tracepoint = header_.tracepoints.front().get();
  }

  void drain() {
    rings_->drain(
        [&](std::size_t, std::string_view record) { window_->add(record); });
  }

  // Records older than `time`, a moment before the call, are complete on all
  // CPUs.
  void take_until(std::uint64_t time) {
    drain();
    window_->take_until(time, [&](const PerfRecord& record, std::string_view) {
      visit(record);
    });
    live_->end_round();
    window_->forget_taken();
  }

  void visit(const PerfRecord& record) {
    if (events_->are_double(record)) return;
    if (record.type == RecordType::kSample) {
      if (!processes_->admits(record)) return;
    } else {
      processes_->visit(record);
      if (record.type == RecordType::kFork) note_fork(record);
    }
    live_->visit(record);
  }

  void note_fork(const PerfRecord& record) {
    const auto fork = decode_task(record);
    if (!fork || fork->pid == fork->parent_pid) return;  // a thread
    forks_.push_back({.parent = static_cast<std::int32_t>(fork->parent_pid),
                      .pid = static_cast<std::int32_t>(fork->pid)});
    if (forks_.size() > kMostForks) forks_.pop_front();
  }

  RecordOptions options_;
  KernelLimits limits_;
  RecordingMemory memory_;
  RecordingPlan plan_;
  std::vector<std::string> limitations_;
  DebugFiles files_{{.os_release = limits_.release, .memory = memory_.files}};
  Images images_{files_, {.files = memory_.files, .names = memory_.names}};
  PerfHeader header_;
  std::optional<OpenedEvents> events_;
  std::optional<RingBuffers> rings_;
  std::optional<RecordWindow> window_;
  std::optional<RecordedProcesses> processes_;
  std::optional<LiveProfile> live_;
  std::uint64_t unknown_ = 0;  // of the window, noted already
  std::deque<ForkedProcess> forks_;
};

Sampler::Sampler(const SamplerOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
Sampler::~Sampler() = default;
Sampler::Sampler(Sampler&&) noexcept = default;

void Sampler::take(std::chrono::milliseconds timeout) { impl_->take(timeout); }
Profile Sampler::cut() { return impl_->cut(); }
std::vector<ForkedProcess> Sampler::take_forks() { return impl_->take_forks(); }
void Sampler::set_frequency(int frequency) { impl_->set_frequency(frequency); }
const std::vector<std::string>& Sampler::limitations() const {
  return impl_->limitations();
}

}  // namespace wick

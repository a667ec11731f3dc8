// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recording_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/error.h"
#include "base/text.h"
#include "object/elf/machine.h"
#include "perf/events/event_open.h"
#include "perf/recording/tree_filter.h"

namespace wick {
namespace {

// Seconds in which the buffers are not read and yet lose no samples.
constexpr double kLongestPause = 0.1;
constexpr std::uint32_t kMinStack = 16384, kMaxStack = 65520;
// Of threads that leave the CPU too often for more.
constexpr std::uint32_t kLeastSwitchStack = 1024;
// The same if it turns out during the recording. Of 1,500 threads that do
// nothing else, 100,000 times a second, every switch is sampled with it.
constexpr std::uint32_t kSpareStack = 2048;
// Linux 6.18 cuts a stack copy to the used part of the stack only if the full
// sample would fit a record: this leaves 2 kB for the rest of it.
constexpr std::uint32_t kMaxUsualStack = 63488;
// Rather than by a CPU that had no work.
constexpr std::string_view kLeftByThread = "prev_pid != 0";
constexpr std::size_t kDefaultBuffer = std::size_t{8} << 20;

// A buffer has a power of two pages.
std::size_t whole_buffer(std::size_t size) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return std::bit_ceil(std::max(size, page));
}

class Planner {
 public:
  Planner(const RecordOptions& options, const KernelLimits& limits,
          const SystemPaths& paths, const SwitchLoad& load)
      : options_(options), limits_(limits), paths_(paths), load_(load) {}

  RecordingPlan run() {
    std::ranges::set_union(limits_.online_cpus, options_.cpus,
                           std::back_inserter(plan_.cpus));
    if (options_.off_cpu && !options_.cpus.empty() &&
        plan_.cpus != options_.cpus)
      throw UsageError(
          "time off the CPU needs all CPUs, since a thread that runs on "
          "another one would count as waiting",
          {.wrong = Setting::kCpus,
           .helps = {Setting::kOffCpu, Setting::kWakers, Setting::kWallTime}});
    plan_.buffer_size = buffer_size();
    // An event of all processes of a CPU does not notice an exec.
    plan_.begins_with_exec = options_.records_program();
    samples_by_cpu_ = options_.records_program() && options_.children &&
                      limits_.may_record_all_cpus();
    choose_events();
    report_lower_rate();
    return std::move(plan_);
  }

 private:
  void report_lower_rate() {
    const auto is_by_rate = [](const PlannedEvent& event) {
      return event.attr.is_frequency();
    };
    if (frequency() < static_cast<std::uint64_t>(options_.frequency) &&
        std::ranges::any_of(plan_.events, is_by_rate))
      plan_.limitations.push_back(fmt::format(
          "the kernel allows no more than {0} samples per second; `sudo sysctl "
          "kernel.perf_event_max_sample_rate={1}` allows {1}",
          frequency(), options_.frequency));
  }

  std::uint64_t frequency() const {
    return allowed(static_cast<std::uint64_t>(options_.frequency));
  }
  std::uint64_t allowed(std::uint64_t rate) const {
    return limits_.max_sample_rate == 0
               ? rate
               : std::min(rate, limits_.max_sample_rate);
  }

  void choose_events() {
    std::string list = options_.events;
    const bool by_default = list.empty();
    if (by_default)
      list = limits_.has_hardware_counters() ? "cycles" : "cpu-clock";
    add_events(list);
    if (by_default) fall_back(list);
    watch_other_cpus();
    bool has_tracepoint = false;
    for (PlannedEvent& event : plan_.events) {
      if (!event.spec.is_tracepoint) continue;
      event.filter = options_.filter;
      has_tracepoint = true;
    }
    if (!options_.filter.empty() && !has_tracepoint)
      throw UsageError(
          "it applies to tracepoints, and no such event is recorded",
          {.wrong = Setting::kEventFilter, .helps = Setting::kRecordedEvents});
    if (!options_.off_cpu) return;
    if (limits_.may_use_tracepoints()) {
      add_events("sched:sched_switch");
      if (options_.copies_at_switches) {
        report_small_copies();
        if (may_copy_less()) add_spare_event();
      } else {
        plan_.events.back().filter = kLeftByThread;
        follow_frame_pointers(plan_.events.back().attr);
      }
      if (options_.wakers) add_events("sched:sched_waking");
      if (options_.wakers && !options_.system_wide && options_.cgroup.empty())
        watch_all_wakings();
    } else {
      const std::string help = limits_.help_with_tracepoints();
      plan_.limitations.push_back(fmt::format(
          "without access to tracepoints, the places where threads left the "
          "CPU are approximate{}{}",
          options_.wakers ? " and their wakers unknown" : "",
          help.empty() ? "" : fmt::format("; `{}` grants it", help)));
      if (!options_.records_program()) add_event_of_sleepers();
    }
  }

  // Those that are looked at once. Switches happen in the kernel, so that the
  // event itself has no samples.
  void add_event_of_sleepers() {
    const EventSpec spec = parse_events("context-switches", paths_).front();
    if (is_planned(spec)) return;
    add_event(spec);
    EventAttr& attr = plan_.events.back().attr;
    attr.flags &= ~attr_flag::kFreq;
    attr.flags |= attr_flag::kExcludeKernel | attr_flag::kExcludeHypervisor;
    attr.sample_period = 1;
  }

  static void copy_no_stack(EventAttr& attr) {
    attr.sample_type &= ~(sample_type::kRegsUser | sample_type::kStackUser);
    attr.sample_regs_user = 0;
    attr.sample_stack_user = 0;
  }

  // An event reports mappings, names and threads only on its own CPUs.
  void watch_other_cpus() {
    const PlannedEvent* reporter = reporting_event();
    PlannedEvent event{.is_side_band = true};
    event.spec = parse_events("dummy", paths_).front();
    if (reporter != nullptr) {
      if (reporter->spec.cpus.empty()) return;
      std::ranges::set_difference(plan_.cpus, reporter->spec.cpus,
                                  std::back_inserter(event.spec.cpus));
      if (event.spec.cpus.empty()) return;
    }
    EventAttr& attr = event.attr = attr_of(event.spec, true);
    attr.flags &= ~(attr_flag::kFreq | attr_flag::kExcludeCallchainUser);
    attr.flags |= attr_flag::kExcludeKernel | attr_flag::kExcludeHypervisor;
    attr.sample_period = 1;
    attr.sample_type &= ~(sample_type::kCallchain | sample_type::kRegsUser |
                          sample_type::kStackUser);
    attr.sample_max_stack = 0;
    attr.sample_regs_user = 0;
    attr.sample_stack_user = 0;
    plan_.events.push_back(std::move(event));
  }

  // The first event that reports processes; null if all are everywhere.
  const PlannedEvent* reporting_event() const {
    const auto found = std::ranges::find_if(
        plan_.events,
        [](const PlannedEvent& event) { return !event.is_everywhere; });
    return found == plan_.events.end() ? nullptr : &*found;
  }

  // The waker may be another process or a timer, so wakings are sampled on the
  // whole machine, without stack copies, and few are kept.
  void watch_all_wakings() {
    add_event(parse_events("sched:sched_waking", paths_).front());
    PlannedEvent& event = plan_.events.back();
    event.is_everywhere = true;
    EventAttr& attr = event.attr;
    attr.flags &= ~(attr_flag::kInherit | attr_flag::kEnableOnExec);
    follow_frame_pointers(attr);
  }

  // Instead of copying stacks, which takes longer.
  void follow_frame_pointers(EventAttr& attr) const {
    attr.flags &= ~attr_flag::kExcludeCallchainUser;
    copy_no_stack(attr);
    if (attr.samples(sample_type::kCallchain)) tell_frame_limit(attr);
  }

  // A machine may advertise a counter that it does not have.
  void fall_back(std::string list) {
    std::uint32_t lost = 0;
    EventAttr attr = plan_.events.front().attr;
    attr.flags &= ~attr_flag::kEnableOnExec;
    const OpenResult trial =
        try_open_event(attr, {.pid = 0, .cpu = -1}, limits_, lost);
    if (list == "cycles" && trial.failure == OpenFailure::kNoCounter) {
      plan_.events.clear();
      add_events("cpu-clock");
      list = "cpu-clock";
    }
    plan_.has_no_cycles = list == "cpu-clock";
  }

  void add_events(const std::string& list) {
    std::string_view elsewhere;
    std::vector<EventSpec> specs = parse_events(list, paths_);
    for (EventSpec& spec : specs) {
      if (!keep_on_chosen_cpus(spec)) {
        elsewhere = spec.name;
        continue;
      }
      if (!is_planned(spec)) add_event(std::move(spec));
    }
    if (plan_.events.empty())
      fail_setting(Setting::kCpus, "{} is not counted on these CPUs",
                   elsewhere);
  }

  // The same event twice would count twice. A filtered event differs from an
  // unfiltered one.
  bool is_planned(const EventSpec& spec) const {
    return std::ranges::any_of(plan_.events, [&](const PlannedEvent& event) {
      return event.spec.name == spec.name && event.spec.type == spec.type &&
             event.spec.config == spec.config && event.spec.pmu == spec.pmu &&
             event.filter.empty();
    });
  }

  void add_event(EventSpec spec) {
    PlannedEvent event{.spec = std::move(spec)};
    event.is_everywhere = is_sampled_by_cpu(event.spec);
    event.attr = attr_of(event.spec,
                         !event.is_everywhere && reporting_event() == nullptr);
    if (event.is_everywhere) {
      event.attr.flags &= ~(attr_flag::kInherit | attr_flag::kEnableOnExec);
      event.attr.flags |= attr_flag::kExcludeIdle;
    }
    plan_.events.push_back(std::move(event));
  }

  // The kernel begins a new period for every task, so a task that lives shorter
  // than that is never sampled: of 1,500 processes that take 0.7 ms each, a
  // clock of their own sees a hundredth. The clock of a CPU sees them all. What
  // occurs at every sample of its own, such as a tracepoint, misses nothing.
  bool is_sampled_by_cpu(const EventSpec& spec) const {
    const bool is_usual = spec.type == event_type::kHardware ||
                          spec.type == event_type::kSoftware ||
                          spec.type == event_type::kHwCache ||
                          spec.type == event_type::kRaw ||
                          is_processor_pmu(spec.pmu);
    return samples_by_cpu_ && is_usual && !spec.is_tracepoint &&
           spec.period.value_or(options_.period) != 1 &&
           (TreeFilter::is_likely(limits_) || buffers_carry(spec));
  }

  // Whether the buffers have room for the samples of all that runs on a CPU.
  // Where they do not, those of others would displace the program's unless a
  // filter keeps them from being taken.
  bool buffers_carry(const EventSpec& spec) const {
    const double bytes =
        1024 + (options_.copies_stacks() ? stack_size(spec) : 0);
    return rate_of(spec) * kLongestPause * bytes <=
           static_cast<double>(plan_.buffer_size);
  }

  // False if the event is counted on other CPUs only.
  bool keep_on_chosen_cpus(EventSpec& spec) const {
    if (options_.cpus.empty()) return true;
    std::vector<int> cpus;
    std::ranges::set_intersection(spec.cpus.empty() ? plan_.cpus : spec.cpus,
                                  options_.cpus, std::back_inserter(cpus));
    spec.cpus = std::move(cpus);
    return !spec.cpus.empty();
  }

  EventAttr attr_of(const EventSpec& spec, bool is_first) const {
    EventAttr attr;
    spec.apply_to(attr);
    attr.sample_type = sample_type::kIdentifier | sample_type::kIp |
                       sample_type::kTid | sample_type::kTime |
                       sample_type::kCpu | sample_type::kPeriod;
    attr.flags |= attr_flag::kDisabled | attr_flag::kSampleIdAll;
    attr.read_format = read_format::kId | read_format::kLost;
    // For CpuTimeAccount.
    if (!options_.processes.empty() || !options_.threads.empty())
      attr.read_format |= read_format::kTimeEnabled | read_format::kTimeRunning;
    if (!options_.system_wide) {
      attr.flags |= attr_flag::kInherit;
      if (!options_.children) attr.flags |= attr_flag::kInheritThread;
    }
    if (plan_.begins_with_exec) attr.flags |= attr_flag::kEnableOnExec;
    // Excluding the kernel would exclude events that happen in it; only its
    // part of the stack is left out.
    if (options_.user_only)
      attr.flags |= attr.happens_in_kernel()
                        ? attr_flag::kExcludeCallchainKernel
                        : attr_flag::kExcludeKernel;
    if (is_first)
      attr.flags |= attr_flag::kMmap | attr_flag::kMmap2 | attr_flag::kComm |
                    attr_flag::kCommExec | attr_flag::kTask |
                    attr_flag::kKsymbol | attr_flag::kBpfEvent |
                    attr_flag::kBuildId;
    // perf looks for unwind rules in data mappings.
    if (is_first && options_.keep_stacks && options_.copies_stacks())
      attr.flags |= attr_flag::kMmapData;
    if (is_first && options_.off_cpu) attr.flags |= attr_flag::kContextSwitch;
    attr.flags |= attr_flag::kUseClockid;
    attr.clockid = options_.clock;
    if (spec.is_tracepoint) {
      attr.sample_type |= sample_type::kRaw;
      attr.sample_period = spec.period.value_or(1);
    } else if (spec.period || options_.period > 0) {
      attr.sample_period = spec.period.value_or(options_.period);
      // The kernel would sample each event (perf_swevent_event in
      // kernel/events/core.c); readers know the period from the attribute.
      if (attr.type == event_type::kSoftware)
        attr.sample_type &= ~sample_type::kPeriod;
    } else {
      attr.flags |= attr_flag::kFreq;
      attr.sample_period = allowed(spec.frequency.value_or(
          static_cast<std::uint64_t>(options_.frequency)));
    }
    if (options_.call_graph != RecordOptions::CallGraph::kNone)
      attr.sample_type |= sample_type::kCallchain;
    if (options_.call_graph == RecordOptions::CallGraph::kFramePointers)
      tell_frame_limit(attr);
    if (options_.copies_stacks()) {
      attr.sample_type |= sample_type::kRegsUser | sample_type::kStackUser;
      attr.flags |= attr_flag::kExcludeCallchainUser;
      attr.sample_regs_user = traits_of(own_machine()).perf_registers.mask;
      attr.sample_stack_user = stack_size(spec);
    }
    return attr;
  }

  // A reader learns the kernel's limit from this field.
  void tell_frame_limit(EventAttr& attr) const {
    attr.sample_max_stack = static_cast<std::uint16_t>(
        std::min<std::uint32_t>(limits_.max_stack, UINT16_MAX));
  }

  // The most that the buffers hold for kLongestPause.
  std::uint32_t stack_size(const EventSpec& spec) const {
    if (options_.stack_size > 0)
      return std::min(options_.stack_size / 8 * 8, kMaxStack);
    if (spec.is_tracepoint) return switch_stack_size();
    const double samples = std::max(1.0, rate_of(spec) * kLongestPause);
    // Switches have no known rate either, and need room as well.
    const auto room = static_cast<double>(
        options_.off_cpu ? plan_.buffer_size / 2 : plan_.buffer_size);
    const double fits =
        std::clamp<double>(room / samples - 1024, kMinStack, kMaxUsualStack);
    return static_cast<std::uint32_t>(fits) / 8 * 8;
  }

  // A tracepoint's rate is unknown, except that of switches when attaching.
  // The buffers hold what comes in kLongestPause or if all threads wake at
  // once.
  std::uint32_t switch_stack_size() const {
    const auto cpus =
        static_cast<double>(std::max<std::size_t>(plan_.cpus.size(), 1));
    const auto room = static_cast<double>(plan_.buffer_size);
    const double switches =
        std::max({load_.per_second * kLongestPause, most_at_once(), 1.0}) /
        cpus;
    const double fits =
        std::clamp<double>(room / switches - 512, kLeastSwitchStack, kMinStack);
    return static_cast<std::uint32_t>(fits) / 8 * 8;
  }

  // Threads that all wake leave the CPU again soon.
  double most_at_once() const { return 2 * static_cast<double>(load_.threads); }

  void report_small_copies() {
    const std::uint32_t size = switch_stack_size();
    // A little less is not worth a word.
    if (!options_.copies_stacks() || options_.stack_size > 0 ||
        size >= kMinStack / 16 * 15)
      return;
    plan_.has_small_copies = true;
    plan_.limitations.push_back(fmt::format(
        "{}, so only {} of their stacks are copied when they do; deeper stacks "
        "are cut",
        how_often_threads_leave(), size_text(size)));
  }

  std::string how_often_threads_leave() const {
    const std::string threads =
        load_.threads > 0 ? counted(load_.threads, "thread") : "threads";
    if (load_.per_second * kLongestPause < most_at_once())
      return threads + " may leave the CPU at the same time";
    return fmt::format(
        "{} leave the CPU {} times a second", threads,
        with_commas(static_cast<std::int64_t>(load_.per_second)));
  }

  // Where the load is not known, or may change. Events of processes that wick
  // attaches to are too many to have spare ones.
  bool may_copy_less() const {
    return options_.copies_stacks() && options_.stack_size == 0 &&
           switch_stack_size() > kSpareStack &&
           (samples_by_cpu_ || options_.system_wide ||
            !options_.cgroup.empty());
  }

  // For a program, it samples everything that runs, so that the program's
  // threads, which would inherit it, cost no more to start.
  void add_spare_event() {
    add_event(parse_events("sched:sched_switch", paths_).front());
    PlannedEvent& event = plan_.events.back();
    event.is_spare = true;
    event.attr.sample_stack_user = kSpareStack;
    if (!options_.records_program()) return;
    event.is_everywhere = true;
    event.filter = kLeftByThread;
    event.attr.flags &= ~(attr_flag::kInherit | attr_flag::kEnableOnExec);
  }

  // Samples per second on one CPU; a guess if events are counted.
  double rate_of(const EventSpec& spec) const {
    const std::uint64_t period = spec.period.value_or(options_.period);
    if (spec.frequency || period == 0)
      return static_cast<double>(allowed(spec.frequency.value_or(frequency())));
    const bool counts_nanoseconds =
        spec.type == event_type::kSoftware && spec.config <= 1;
    return counts_nanoseconds ? 1e9 / static_cast<double>(period) : 1000;
  }

  std::size_t buffer_size() const {
    if (options_.buffer_size > 0) return whole_buffer(options_.buffer_size);
    const std::uint64_t allowed = limits_.buffer_memory();
    if (allowed == KernelLimits::kUnlimited) return kDefaultBuffer;
    const std::uint64_t each =
        allowed / std::max<std::size_t>(plan_.cpus.size(), 1);
    std::size_t size = 4096;
    while (size < kDefaultBuffer && size * 2 + 4096 <= each) size *= 2;
    return size;
  }

  const RecordOptions& options_;
  const KernelLimits& limits_;
  const SystemPaths& paths_;
  const SwitchLoad& load_;
  RecordingPlan plan_;
  // Events of whole CPUs are sampled, and what others run is dropped.
  bool samples_by_cpu_ = false;
};

}  // namespace

RecordingPlan plan_recording(const RecordOptions& options,
                             const KernelLimits& limits,
                             const SystemPaths& paths, const SwitchLoad& load) {
  return Planner(options, limits, paths, load).run();
}

}  // namespace wick

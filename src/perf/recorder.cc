// SPDX-License-Identifier: Apache-2.0
#include "perf/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/parallel.h"
#include "object/images.h"
#include "perf/build_ids.h"
#include "perf/data_writer.h"
#include "perf/event_open.h"
#include "perf/event_spec.h"
#include "perf/kernel_limits.h"
#include "perf/live_stacks.h"
#include "perf/machine_info.h"
#include "perf/proc_events.h"
#include "perf/program.h"
#include "perf/record_window.h"
#include "perf/recorded_threads.h"
#include "perf/registers.h"
#include "perf/ring_buffer.h"
#include "perf/tracing_data.h"
#include "profile/diagnostics.h"

namespace wick {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> stop_wanted = false;
std::atomic<const RingBuffers*> waiting_rings = nullptr;

// At 100 ms without a chance to read, no sample shall be lost.
constexpr double kLongestPause = 0.1;
constexpr std::uint32_t kMinStack = 16384, kMaxStack = 65520;
constexpr std::size_t kDefaultBuffer = std::size_t{8} << 20;

std::vector<pid_t> all_threads(const RecordOptions& options) {
  std::vector<pid_t> threads = options.threads;
  for (const pid_t pid : options.processes) {
    const std::vector<pid_t> own = list_threads(pid);
    if (own.empty()) fail("there is no process {}", pid);
    threads.insert(threads.end(), own.begin(), own.end());
  }
  return threads;
}

class Recorder {
 public:
  explicit Recorder(const RecordOptions& options)
      : options_(options), limits_(read_kernel_limits()) {}

  RecordResult run(const std::function<void(const RecordProgress&)>& progress) {
    raise_open_files_limit();
    // A file that may not grow further is told by write().
    ::signal(SIGXFSZ, SIG_IGN);
    cpus_ = options_.cpus.empty() ? limits_.online_cpus : options_.cpus;
    if (!options_.program.empty())
      program_.emplace(options_.program, options_.folder);
    // Reading buffers must not wait for those who fill them. The program was
    // started before, so that it is not hurried, too.
    ::setpriority(PRIO_PROCESS, 0, -10);
    choose_events();
    open_events();
    map_buffers();
    open_file();
    describe_what_is_there();
    start();
    loop(progress);
    finish();
    return std::move(result_);
  }

 private:
  struct Event {
    EventSpec spec;
    EventAttr attr;
    std::vector<UniqueFd> fds;
    std::vector<std::uint64_t> ids;
    bool is_everywhere = false;  // although threads are recorded
  };

  // --- What is opened -----------------------------------------------------

  void choose_events() {
    std::string list = options_.events;
    const bool by_default = list.empty();
    if (by_default)
      list = limits_.has_hardware_counters() ? "cycles" : "cpu-clock";
    add_events(list);
    if (by_default) fall_back(list);
    filtered_ = events_.size();
    if (!options_.off_cpu) return;
    if (limits_.may_use_tracepoints()) {
      add_events("sched:sched_switch");
      if (options_.wakers) add_events("sched:sched_waking");
      if (options_.wakers && !options_.system_wide && options_.cgroup.empty())
        watch_strangers();
    } else {
      result_.notes.push_back(fmt::format(
          "without the right to tracepoints, where threads left the CPU is "
          "only roughly known{}; `sudo sysctl kernel.perf_event_paranoid=-1` "
          "gives it",
          options_.wakers ? ", and who woke them not at all" : ""));
    }
  }

  // Who wakes may be somebody else, or a timer. Wakings are watched on the
  // whole machine then, without copies of stacks, and few are kept.
  void watch_strangers() {
    add_events("sched:sched_waking");
    Event& event = events_.back();
    event.is_everywhere = true;
    EventAttr& attr = event.attr;
    attr.flags &= ~(attr_flag::kInherit | attr_flag::kEnableOnExec |
                    attr_flag::kExcludeCallchainUser);
    attr.sample_type &= ~(sample_type::kRegsUser | sample_type::kStackUser);
    attr.sample_regs_user = 0;
    attr.sample_stack_user = 0;
  }

  // A machine may promise a counter and not have it.
  void fall_back(std::string list) {
    std::uint32_t lost = 0;
    EventAttr attr = events_.front().attr;
    attr.flags &= ~attr_flag::kEnableOnExec;
    const OpenResult trial =
        try_open_event(attr, {.pid = 0, .cpu = -1}, limits_, lost);
    if (list == "cycles" && trial.failure == OpenFailure::kNoCounter) {
      events_.clear();
      add_events("cpu-clock");
      list = "cpu-clock";
    }
    result_.has_no_cycles = list == "cpu-clock";
  }

  void add_events(const std::string& list) {
    for (EventSpec& spec : parse_events(list)) {
      Event event{.spec = std::move(spec)};
      event.attr = attr_of(event.spec, events_.empty());
      events_.push_back(std::move(event));
    }
    result_.event = events_.front().spec.name;
  }

  bool copies_stacks() const {
    using CallGraph = RecordOptions::CallGraph;
    return options_.call_graph == CallGraph::kDwarf ||
           options_.call_graph == CallGraph::kAuto;
  }

  EventAttr attr_of(const EventSpec& spec, bool is_first) const {
    EventAttr attr;
    spec.apply_to(attr);
    attr.sample_type = sample_type::kIdentifier | sample_type::kIp |
                       sample_type::kTid | sample_type::kTime |
                       sample_type::kCpu | sample_type::kPeriod;
    attr.flags |= attr_flag::kDisabled | attr_flag::kSampleIdAll;
    attr.read_format = read_format::kId | read_format::kLost;
    if (!options_.system_wide) attr.flags |= attr_flag::kInherit;
    if (program_ && options_.delay == 0) attr.flags |= attr_flag::kEnableOnExec;
    if (options_.user_only) attr.flags |= attr_flag::kExcludeKernel;
    if (is_first)
      attr.flags |= attr_flag::kMmap | attr_flag::kMmap2 | attr_flag::kComm |
                    attr_flag::kCommExec | attr_flag::kTask |
                    attr_flag::kKsymbol | attr_flag::kBpfEvent |
                    attr_flag::kBuildId;
    if (is_first && options_.off_cpu) attr.flags |= attr_flag::kContextSwitch;
    attr.flags |= attr_flag::kUseClockid;
    attr.clockid = options_.clock;
    if (spec.is_tracepoint) {
      attr.sample_type |= sample_type::kRaw;
      attr.sample_period = spec.period.value_or(1);
    } else if (spec.period || options_.period > 0) {
      attr.sample_period = spec.period.value_or(options_.period);
    } else {
      attr.flags |= attr_flag::kFreq;
      attr.sample_period = std::min<std::uint64_t>(
          spec.frequency.value_or(
              static_cast<std::uint64_t>(options_.frequency)),
          limits_.max_sample_rate == 0 ? UINT64_MAX : limits_.max_sample_rate);
    }
    if (options_.call_graph != RecordOptions::CallGraph::kNone)
      attr.sample_type |= sample_type::kCallchain;
    // How deep the kernel goes is known to whoever reads the file.
    if (options_.call_graph == RecordOptions::CallGraph::kFramePointers)
      attr.sample_max_stack = static_cast<std::uint16_t>(
          std::min<std::uint32_t>(limits_.max_stack, UINT16_MAX));
    if (copies_stacks()) {
      attr.sample_type |= sample_type::kRegsUser | sample_type::kStackUser;
      attr.flags |= attr_flag::kExcludeCallchainUser;
      attr.sample_regs_user = unwind_register_mask(own_machine());
      attr.sample_stack_user = stack_size(spec.is_tracepoint);
    }
    return attr;
  }

  // The most that the buffers carry for as long as nobody may read them.
  std::uint32_t stack_size(bool is_tracepoint) const {
    if (options_.stack_size > 0)
      return std::min(options_.stack_size / 8 * 8, kMaxStack);
    // Nobody knows how often a tracepoint is met.
    if (is_tracepoint) return kMinStack;
    const double samples = std::max(
        1.0, (options_.period > 0 ? 1000 : options_.frequency) * kLongestPause);
    const auto fits = static_cast<std::uint32_t>(std::min<double>(
        static_cast<double>(buffer_size()) / samples - 1024, kMaxStack));
    return std::clamp(fits / 8 * 8, kMinStack, kMaxStack);
  }

  std::size_t buffer_size() const {
    if (options_.buffer_size > 0) return options_.buffer_size;
    const std::uint64_t allowed = limits_.buffer_memory();
    if (allowed == KernelLimits::kUnlimited) return kDefaultBuffer;
    const std::uint64_t each = allowed / std::max<std::size_t>(cpus_.size(), 1);
    std::size_t size = 4096;
    while (size < kDefaultBuffer && size * 2 + 4096 <= each) size *= 2;
    return size;
  }

  void open_events() {
    const std::vector<OpenTarget> of_threads = open_targets();
    std::vector<OpenTarget> of_cpus;
    for (const int cpu : cpus_) of_cpus.push_back({.pid = -1, .cpu = cpu});
    for (Event& event : events_) {
      const auto& targets = event.is_everywhere ? of_cpus : of_threads;
      const bool is_filtered = event.spec.is_tracepoint &&
                               !options_.filter.empty() &&
                               &event < events_.data() + filtered_;
      for (const OpenTarget& target : targets) {
        if (!event.spec.cpus.empty() &&
            std::ranges::find(event.spec.cpus, target.cpu) ==
                event.spec.cpus.end())
          continue;
        OpenResult opened =
            try_open_event(event.attr, target, limits_, given_up_);
        // A thread may have ended since it was listed.
        if (opened.failure == OpenFailure::kNoProcess && targets.size() > 1)
          continue;
        if (!opened.fd)
          throw OpenError(opened.failure,
                          explain_open_failure(opened, event.spec.name,
                                               event.attr, target, limits_));
        event.ids.push_back(event_id(opened.fd.get()));
        if (is_filtered) set_event_filter(opened.fd.get(), options_.filter);
        rings_of_.push_back(ring_of(target.cpu));
        event.fds.push_back(std::move(opened.fd));
      }
      if (event.fds.empty()) fail("everything that was to be recorded is gone");
    }
    for (const std::string_view what : describe_given_up(given_up_))
      result_.notes.push_back(fmt::format("not recorded: {}", what));
  }

  std::vector<OpenTarget> open_targets() {
    std::vector<OpenTarget> targets;
    if (!options_.cgroup.empty()) {
      const std::string path = "/sys/fs/cgroup/" + options_.cgroup;
      cgroup_ = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      if (!cgroup_) fail("{}: {}", path, last_system_error());
    }
    std::vector<pid_t> threads = all_threads(options_);
    if (program_) threads = {program_->pid()};
    if (options_.system_wide || cgroup_) threads = {-1};
    if (threads.empty()) fail_usage("there is nothing to record");
    for (const pid_t thread : threads)
      for (const int cpu : cpus_) {
        OpenTarget target{.pid = thread, .cpu = cpu};
        if (cgroup_) target.cgroup_fd = cgroup_.get();
        targets.push_back(target);
      }
    return targets;
  }

  std::size_t ring_of(int cpu) const {
    return static_cast<std::size_t>(std::ranges::find(cpus_, cpu) -
                                    cpus_.begin());
  }

  // One buffer for each CPU; every event of that CPU writes into it.
  void map_buffers() {
    std::vector<int> leaders(cpus_.size(), -1);
    std::vector<std::pair<int, std::size_t>> others;
    std::size_t i = 0;
    for (const Event& event : events_)
      for (const UniqueFd& fd : event.fds) {
        const std::size_t ring = rings_of_[i++];
        if (leaders[ring] < 0)
          leaders[ring] = fd.get();
        else
          others.emplace_back(fd.get(), ring);
      }
    // CPUs on which nothing was opened have no buffer.
    std::vector<int> used;
    std::ranges::copy_if(leaders, std::back_inserter(used),
                         [](int fd) { return fd >= 0; });
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    rings_.emplace(used, buffer_size() / page);
    for (const auto& [fd, ring] : others) rings_->redirect(fd, leaders[ring]);
    waiting_rings = &*rings_;
  }

  // --- The file -----------------------------------------------------------

  bool unwinds() const { return copies_stacks() && !options_.keep_stacks; }

  void open_file() {
    std::vector<RecordedEvent> recorded;
    std::vector<std::string> tracepoints;
    for (Event& event : events_) {
      recorded.push_back(
          {.attr = unwinds() ? LiveStacks::stored(event.attr) : event.attr,
           .name = event.spec.name,
           .ids = event.ids});
      if (event.spec.is_tracepoint) tracepoints.push_back(event.spec.name);
      PerfEvent& known = known_.emplace_back();
      known.name = event.spec.name;
      known.attr = event.attr;
      known.layout = id_layout(event.attr);
      known.ids = event.ids;
    }
    result_.stack_size = events_.front().attr.sample_stack_user;
    file_.emplace(
        options_.output, std::move(recorded),
        PerfDataWriter::Options{.compression_level = options_.compression});
    file_->machine(machine_info());
    file_->command_line(options_.command_line);
    if (!tracepoints.empty()) {
      std::string description = collect_tracing_data(tracepoints);
      if (events_.back().is_everywhere) {
        threads_.emplace(description);
        strangers_ = &known_.back();
      }
      file_->tracing_data(std::move(description));
    }
    // Files have theirs in the records of their mappings.
    const SampledFile kernel[] = {
        {.path = "[kernel.kallsyms]", .in_kernel = true}, {.path = "[vdso]"}};
    file_->build_ids(read_build_ids(kernel));
    file_->pmus(read_pmus());
    if (unwinds())
      stacks_.emplace(
          own_machine(), images_, worker_count(0),
          [this](std::string_view record) { file_->write(record); });
    window_.emplace(known_);
  }

  ProcEvents proc_events(std::uint64_t time) const {
    const Event& first = events_.front();
    return ProcEvents({.attr = first.attr,
                       .id = first.ids.front(),
                       .time = time,
                       .build_ids = true});
  }

  void describe_what_is_there() {
    ProcEvents proc = proc_events(event_clock_now(events_.front().attr));
    const auto emit = [&](std::string_view record) {
      take(window_->parsed(record), record);
    };
    proc.kernel(emit);
    if (options_.system_wide || cgroup_) proc.all_processes(emit);
    for (const pid_t pid : options_.processes) proc.process(pid, emit);
    for (const pid_t tid : options_.threads) proc.thread(tid, emit);
    end_round();
  }

  // What woke a thread is called, and where its code is, the kernel does not
  // tell if it is none of those that are recorded.
  void introduce_stranger(std::uint64_t time) {
    if (const std::uint32_t pid = threads_->new_stranger())
      proc_events(time).thread(static_cast<pid_t>(pid),
                               [&](std::string_view record) {
                                 store(window_->parsed(record), record);
                               });
  }

  // --- Running ------------------------------------------------------------

  void enable() {
    for (const Event& event : events_)
      for (const UniqueFd& fd : event.fds) enable_event(fd.get());
    enabled_ = true;
  }

  void start() {
    begin_ = Clock::now();
    if (program_) {
      // What is not the program's own does not begin by itself.
      if (options_.delay == 0 && threads_)
        for (const UniqueFd& fd : events_.back().fds) enable_event(fd.get());
      program_->start();
      enabled_ = options_.delay == 0;
    } else if (options_.delay == 0) {
      enable();
    }
  }

  double elapsed() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count();
  }

  bool is_over() {
    if (stop_wanted) {
      result_.interrupted = true;
      return true;
    }
    if (options_.duration > 0 &&
        elapsed() >= options_.duration + options_.delay)
      return true;
    if (program_) return program_->status().has_value();
    return !options_.system_wide && !cgroup_ && rings_->live_events() == 0;
  }

  void loop(const std::function<void(const RecordProgress&)>& progress) {
    using namespace std::chrono_literals;
    auto shown = Clock::now();
    bool over = false;
    while (!over) {
      over = is_over();
      if (!over) rings_->wait(20ms);
      if (!enabled_ && elapsed() >= options_.delay) enable();
      read_round(false);
      if (progress && Clock::now() - shown > 200ms) {
        shown = Clock::now();
        update();
        progress(result_);
      }
    }
    for (const Event& event : events_)
      for (const UniqueFd& fd : event.fds) disable_event(fd.get());
    read_round(true);
  }

  // Records that are older than the moment before reading are complete on all
  // CPUs; younger ones wait for the next round.
  void read_round(bool is_last) {
    const std::uint64_t now =
        is_last ? UINT64_MAX : event_clock_now(events_.front().attr);
    rings_->drain(
        [&](std::size_t, std::string_view record) { window_->add(record); });
    window_->take_until(now,
                        [&](const PerfRecord& record, std::string_view whole) {
                          take(record, whole);
                        });
    end_round();
    window_->forget_taken();
  }

  void take(const PerfRecord& record, std::string_view whole) {
    switch (record.type) {
      case RecordType::kSample:
        if (record.event == strangers_) {
          if (!threads_->are_woken_by(record)) return;
          introduce_stranger(record.time - 1);
        }
        ++result_.samples;
        if (first_time_ == 0) first_time_ = record.time;
        last_time_ = std::max(last_time_, record.time);
        break;
      case RecordType::kLost:
        if (const auto lost = decode_lost(record)) result_.lost += lost->lost;
        break;
      case RecordType::kThrottle:
        ++result_.throttles;
        break;
      default:
        if (threads_) threads_->visit(record);
        break;
    }
    store(record, whole);
  }

  void store(const PerfRecord& record, std::string_view whole) {
    if (stacks_)
      stacks_->visit(record, whole);
    else
      file_->write(whole);
  }

  void end_round() {
    if (stacks_) stacks_->end_round();
    file_->finished_round();
  }

  void update() {
    result_.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        Clock::now() - begin_);
    result_.bytes = file_->bytes();
  }

  // A program that still runs when the recording is stopped is stopped, too:
  // by Ctrl-C, which a terminal sends to both of them, else by us.
  void end_program() {
    using namespace std::chrono_literals;
    for (const int signal : {SIGINT, SIGTERM}) {
      if (!result_.interrupted || program_->status()) break;
      ::kill(program_->pid(), signal);
      for (int i = 0; i < 100 && !program_->status(); ++i)
        std::this_thread::sleep_for(10ms);
    }
    if (const auto status = program_->status())
      result_.program_status = *status;
  }

  void finish() {
    waiting_rings = nullptr;
    if (program_) end_program();
    if (stacks_) {
      const auto& ends = stacks_->unwinding();
      result_.short_stacks = ends.count(UnwindEnd::kStackTooShort);
      result_.broken_stacks =
          ends.count(UnwindEnd::kNoRule) + ends.count(UnwindEnd::kBadMemory);
      file_->note(info(Problem::kStackTooShort).key,
                  fmt::format("{}", result_.short_stacks));
      file_->note(info(Problem::kNoUnwindRule).key,
                  fmt::format("{}", ends.count(UnwindEnd::kNoRule)));
      file_->note(info(Problem::kBadStack).key,
                  fmt::format("{}", ends.count(UnwindEnd::kBadMemory)));
    }
    file_->sample_times(first_time_, last_time_);
    file_->finish();
    update();
  }

  const RecordOptions& options_;
  KernelLimits limits_;
  RecordResult result_;
  std::vector<int> cpus_;
  std::optional<HeldProgram> program_;
  UniqueFd cgroup_;
  std::vector<Event> events_;
  std::size_t filtered_ = 0;  // so many of them, if they are tracepoints
  std::vector<std::size_t> rings_of_;  // of each fd, in the order of opening
  std::uint32_t given_up_ = 0;
  std::optional<RingBuffers> rings_;

  std::vector<PerfEvent> known_;
  std::optional<RecordWindow> window_;
  std::optional<PerfDataWriter> file_;
  DebugFiles debug_files_{{.os_release = limits_.release}};
  Images images_{debug_files_};
  std::optional<LiveStacks> stacks_;
  // Wakings by others than those who are recorded, and who these are.
  const PerfEvent* strangers_ = nullptr;
  std::optional<RecordedThreads> threads_;

  Clock::time_point begin_;
  bool enabled_ = false;
  std::uint64_t first_time_ = 0, last_time_ = 0;
};

}  // namespace

RecordResult record(
    const RecordOptions& options,
    const std::function<void(const RecordProgress&)>& progress) {
  stop_wanted = false;
  return Recorder(options).run(progress);
}

void stop_recording() {
  stop_wanted = true;
  if (const RingBuffers* rings = waiting_rings) rings->wake();
}

}  // namespace wick

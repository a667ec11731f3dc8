// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recorder.h"

#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"
#include "object/elf/machine.h"
#include "object/images.h"
#include "perf/events/event_open.h"
#include "perf/events/kernel_limits.h"
#include "perf/events/ring_buffer.h"
#include "perf/file/build_ids.h"
#include "perf/file/machine_info.h"
#include "perf/file/recording_facts.h"
#include "perf/recording/cpu_time_account.h"
#include "perf/recording/cut_stacks.h"
#include "perf/recording/descendants.h"
#include "perf/recording/exec_watch.h"
#include "perf/recording/live_stacks.h"
#include "perf/recording/name_lookup.h"
#include "perf/recording/opened_events.h"
#include "perf/recording/proc_events.h"
#include "perf/recording/program.h"
#include "perf/recording/record_window.h"
#include "perf/recording/recorded_processes.h"
#include "perf/recording/recording_file.h"
#include "perf/recording/recording_memory.h"
#include "perf/recording/recording_plan.h"
#include "perf/recording/sampled_code.h"
#include "perf/recording/sleeping_threads.h"
#include "perf/recording/switch_copies.h"
#include "perf/recording/switch_rate.h"
#include "perf/recording/tracing_data.h"
#include "perf/records/record_encoder.h"
#include "perf/session/off_cpu.h"
#include "perf/session/wakers.h"

namespace wick {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Looking at a thread takes some 70 µs; few machines have as many as this.
constexpr auto kLongestLook = 2000ms;
// Bytes of records that wait meanwhile.
constexpr std::size_t kMostWaiting = std::size_t{4} << 20;

// The reader of the buffers must not wait for the threads that fill them.
// Concerns this thread and those it starts.
class HighPriority {
 public:
  HighPriority() {
    errno = 0;
    before_ = ::getpriority(PRIO_PROCESS, 0);
    is_raised_ = errno == 0 && ::setpriority(PRIO_PROCESS, 0, -10) == 0;
  }
  ~HighPriority() {
    if (is_raised_) ::setpriority(PRIO_PROCESS, 0, before_);
  }
  HighPriority(const HighPriority&) = delete;
  HighPriority& operator=(const HighPriority&) = delete;

 private:
  int before_ = 0;
  bool is_raised_ = false;
};

class Recorder {
 public:
  Recorder(const RecordOptions& options, const StopRequest& stop)
      : options_(options), stop_(stop), limits_(read_kernel_limits()) {
    if (!limits_.not_mounted.empty())
      fail("{} is not mounted; `{}` mounts it", limits_.not_mounted,
           limits_.help_with_mount());
    // Tracepoints have a colon in their names.
    if (options.off_cpu || options.events.find(':') != std::string::npos)
      provide_tracefs(limits_);
  }

  RecordResult run(const std::function<void(const RecordProgress&)>& progress) {
    // Started first, so that it has neither the priority nor the limit of open
    // files that follow.
    if (!options_.program.empty())
      program_.emplace(options_.program, options_.folder);
    raise_open_files_limit();
    std::optional<HighPriority> priority(std::in_place);
    plan();
    open_events();
    // What runs already starts threads and maps files while it is described, so
    // its events are enabled before.
    const std::uint64_t opened_time = now();
    if (attaches()) events_->enable();
    open_file();
    describe_what_runs(opened_time);
    start();
    loop(progress);
    store_the_end();
    if (program_) end_program();
    priority.reset();
    finish_file();
    return std::move(result_);
  }

 private:
  bool attaches() const { return !options_.records_program(); }
  bool attaches_to_threads() const {
    return !options_.processes.empty() || !options_.threads.empty();
  }

  // By the clock of the events.
  std::uint64_t now() const { return event_clock_now(events_->front().attr()); }

  // --- Opening ------------------------------------------------------------

  void plan() {
    SwitchLoad load;
    if (options_.off_cpu && attaches()) load = SwitchRate(options_).measured();
    plan_ = plan_recording(options_, limits_, {}, load);
    result_.has_no_cycles = plan_.has_no_cycles;
    result_.limitations = std::move(plan_.limitations);
  }

  void open_events() {
    events_.emplace(plan_, options_, limits_, program_ ? program_->pid() : -1,
                    result_.limitations);
    rings_.emplace(events_->map_buffers(result_.limitations));
    rings_->wake_for(stop_.fd());
    for (const OpenedEvent& event : events_->all()) {
      PerfEvent& known = header_.events.emplace_back();
      known.name = event.plan.spec.name;
      known.attr = event.attr();
      known.layout = id_layout(event.attr());
      known.ids = event.ids;
    }
    samples_of_.resize(header_.events.size());
    header_.index_ids();
    window_.emplace(header_);
    if (options_.off_cpu) copies_.emplace(*events_, header_.events);
    processes_.emplace(
        options_, *events_, *window_,
        [this](const PerfRecord& record, std::string_view whole) {
          if (sleepers_) sleepers_->visit(record);
          store(record, whole);
        });
    if (options_.records_program())
      watch_tree();
    else if (attaches_to_threads() && !excludes(attr_flag::kExcludeUser))
      account_.emplace(header_.events.front(), events_->front().fds,
                       cpus_of(events_->front()));
  }

  void watch_tree() {
    std::vector<const PerfEvent*> everywhere;
    for (std::size_t i = 0; i < header_.events.size(); ++i)
      if (events_->all()[i].plan.is_everywhere)
        everywhere.push_back(&header_.events[i]);
    processes_->watch_tree(program_->pid(), std::move(everywhere));
    // What is spent in code that is not wanted is not missed.
    if (!excludes(attr_flag::kExcludeUser))
      account_.emplace(header_.events.front(), program_->pid(), options_.cpus,
                       limits_);
  }

  static std::size_t cpus_of(const OpenedEvent& event) {
    return std::set(event.cpu_at.begin(), event.cpu_at.end()).size();
  }

  // By choice, for the first event.
  bool excludes(std::uint64_t flag) const {
    return (events_->front().plan.spec.flags & flag) != 0;
  }

  void open_file() {
    std::vector<RecordedEvent> recorded;
    for (const OpenedEvent& event : events_->all())
      recorded.push_back({.attr = options_.unwinds_stacks()
                                      ? LiveStacks::stored(event.attr())
                                      : event.attr(),
                          .name = event.plan.spec.name,
                          .ids = event.ids});
    file_.emplace(PerfDataWriter(
        options_.output, std::move(recorded),
        PerfDataWriter::Options{.compression_level = options_.compression,
                                .recorder = options_.recorder}));
    write_sections(file_->header());
    set_begin_time();  // for a file that is never finished
    if (options_.keep_names)
      sampled_.emplace(images_, memory_.addresses, memory_.processes);
    if (options_.unwinds_stacks() || sampled_) follow_stacks();
  }

  void follow_stacks() {
    stacks_.emplace(
        own_machine(), images_,
        LiveStacks::Options{.unwinds = options_.unwinds_stacks(),
                            .workers = worker_count(0),
                            .frame_limit = limits_.max_stack,
                            .memory = memory_.processes,
                            .sampled = sampled_ ? &*sampled_ : nullptr},
        [this](std::string_view record) { file_->write(record); });
    for (const PerfHeader::BuildId& known : kernel_build_ids_)
      stacks_->add_build_id(known);
  }

  // What is known before the first record.
  void write_sections(PerfDataWriter& file) {
    file.machine(machine_info());
    file.command_line(options_.command_line);
    describe_tracepoints(file);
    // Other files have their build ids in the records of their mappings.
    const SampledFile kernel[] = {
        {.path = "[kernel.kallsyms]", .in_kernel = true}, {.path = "[vdso]"}};
    kernel_build_ids_ = read_build_ids(kernel);
    file.build_ids(kernel_build_ids_);
    file.pmus(read_pmus());
    if (const auto clock = read_clock(options_.clock))
      file.clock(clock->moment, clock->resolution_ns);
  }

  void describe_tracepoints(PerfDataWriter& file) {
    std::vector<std::string> names;
    for (const OpenedEvent& event : events_->all())
      if (event.plan.spec.is_tracepoint) names.push_back(event.plan.spec.name);
    std::string description =
        names.empty() ? std::string() : collect_tracing_data(names);
    if (events_->back().plan.is_everywhere &&
        Wakers::is_waking(header_.events.back()))
      processes_->watch_wakers(header_.events.back(), description);
    if (options_.off_cpu && attaches()) look_for_sleepers(description);
    if (!names.empty()) file.tracing_data(std::move(description));
  }

  void look_for_sleepers(std::string_view tracing_data) {
    for (std::size_t i = 0; i < header_.events.size(); ++i)
      if (const PlannedEvent& plan = events_->all()[i].plan;
          plan.filter.empty() && !plan.is_spare &&
          OffCpu::is_switch(header_.events[i]))
        sleepers_.emplace(header_.events[i], tracing_data);
  }

  void describe_what_runs(std::uint64_t opened_time) {
    auto drained = Clock::now();
    processes_->describe_what_runs(limits_, opened_time, [&] {
      // What the buffers cannot hold until then, the kernel counts as lost.
      if ((Clock::now() - drained < 20ms && !rings_->are_filled_to(0.5)) ||
          window_->bytes() > options_.memory / 4)
        return;
      drain();
      drained = Clock::now();
    });
    end_round();
    if (sleepers_) look_at_sleepers();
  }

  // The recording has not begun: of what the buffers have, only switches count.
  void look_at_sleepers() {
    begin_time_ = UINT64_MAX;
    auto drained = Clock::now();
    sleepers_->look(
        [this] { return now(); }, kLongestLook,
        [&](std::string_view record) { window_->add(record, true); },
        [&] {
          if (Clock::now() - drained < 20ms && !rings_->are_filled_to(0.5) &&
              window_->bytes() < kMostWaiting)
            return;
          take_round(now());
          drained = Clock::now();
        });
    for (std::string& sentence : sleepers_->limitations())
      result_.limitations.push_back(std::move(sentence));
    sleepers_.reset();
  }

  // --- Running ------------------------------------------------------------

  // An event that is not enabled does not report mappings, names and threads
  // either, so it is enabled at once and samples are dropped until the delay is
  // over.
  void start() {
    begin_ = Clock::now();
    set_begin_time();
    if (!attaches()) events_->enable();
    watch_execs();
    if (program_) program_->start();
    if (options_.records_program()) processes_->program_has_begun(now());
  }

  void set_begin_time() {
    if (options_.delay == 0 && !attaches()) return;
    begin_time_ = now() + static_cast<std::uint64_t>(options_.delay * 1e9);
    if (options_.delay > 0 || options_.off_cpu) facts_.begin_time = begin_time_;
    file_->header().facts(facts_);
  }

  // Where a thread went to sleep matters if it still sleeps when the recording
  // begins.
  bool is_too_early(const PerfRecord& sample) const {
    return sample.time < begin_time_ &&
           !(options_.off_cpu && (OffCpu::is_switch(*sample.event) ||
                                  Wakers::is_waking(*sample.event)));
  }

  bool is_over() {
    if (stop_.is_stopped()) {
      result_.interrupted = true;
      return true;
    }
    const double elapsed =
        std::chrono::duration<double>(Clock::now() - begin_).count();
    if (options_.duration > 0 && elapsed >= options_.duration + options_.delay)
      return true;
    if (program_) return program_->status().has_value();
    if (options_.system_wide || !options_.cgroup.empty()) return false;
    return rings_->live_events() <= events_->lasting();
  }

  void loop(const std::function<void(const RecordProgress&)>& progress) {
    auto shown = Clock::now();
    for (bool over = false; !over;) {
      over = is_over();
      if (!over) rings_->wait(20ms);
      take_round(now());
      watch_execs_if_worth_while();
      if (account_ && !has_begun_ && now() >= begin_time_) {
        has_begun_ = true;
        if (begin_time_ > 0) account_->begin();
      }
      update();
      over |= file_->has_failed();
      if (progress && Clock::now() - shown > 200ms) {
        shown = Clock::now();
        progress(result_);
      }
    }
    end_time_ = now();
    if (account_) account_->end();
    if (program_ && program_->status()) cpu_time_ = program_->cpu_time();
    events_->disable();
    exec_watch_.reset();
    take_round(UINT64_MAX);
  }

  // Opens new programs at once.
  void watch_execs() {
    exec_watch_.emplace(plan_.cpus, limits_, [this](std::uint32_t pid) {
      debug_files_.keep_program(static_cast<std::int32_t>(pid));
      ++watched_execs_;
    });
  }

  void watch_execs_if_worth_while() {
    constexpr int kFirst = 64;
    if (debug_files_.sees_new_files()) {
      if (!exec_watch_) watch_execs();
    } else if (watched_execs_ >= kFirst) {
      exec_watch_.reset();
    }
  }

  // Nothing changes any more once the file takes no more records.
  void update() {
    if (!result_.write_error.empty()) return;
    result_.write_error = file_->error();
    result_.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        Clock::now() - begin_);
    result_.bytes = file_->bytes();
  }

  // --- Records ------------------------------------------------------------

  void drain() {
    // Buffers are read as soon as they are half full.
    if (copies_ && rings_->are_filled_to(0.75)) shrink_copies();
    rings_->drain(
        [&](std::size_t, std::string_view record) { window_->add(record); });
  }

  void shrink_copies() {
    copies_->shrink([this] { return now(); });
  }

  // Records older than `time`, a moment before the call, are complete on all
  // CPUs; younger ones wait for the next round.
  void take_round(std::uint64_t time) {
    drain();
    window_->take_until(time,
                        [&](const PerfRecord& record, std::string_view whole) {
                          take(record, whole);
                        });
    end_round();
    debug_files_.end_round();
    window_->forget_taken();
  }

  void end_round() {
    if (stacks_ && !file_->has_failed()) stacks_->end_round();
    file_->end_round();
  }

  void take(const PerfRecord& record, std::string_view whole) {
    if (events_->are_double(record) || (copies_ && copies_->is_double(record)))
      return;
    switch (record.type) {
      case RecordType::kSample:
        if (is_too_early(record) || !processes_->admits(record)) return;
        ++result_.samples;
        ++samples_of_[static_cast<std::size_t>(record.event -
                                               header_.events.data())];
        if (account_) account_->on_sample(record);
        cut_stacks_.visit(record);
        if (first_time_ == 0) first_time_ = record.time;
        last_time_ = std::max(last_time_, record.time);
        break;
      case RecordType::kLost:
        if (const auto lost = decode_lost(record)) result_.lost += lost->lost;
        if (copies_) shrink_copies();
        processes_->visit(record);
        break;
      case RecordType::kThrottle:
        ++result_.throttles;
        break;
      case RecordType::kFork:
        ++forks_;
        processes_->visit(record);
        break;
      default:
        processes_->visit(record);
        break;
    }
    store(record, whole);
  }

  void store(const PerfRecord& record, std::string_view whole) {
    if (file_->has_failed()) return;
    if (record.type == RecordType::kMmap2) keep_file(record);
    if (stacks_)
      stacks_->visit(record, whole);
    else
      file_->write(whole);
  }

  // Now the process still leads to its files, whatever their names.
  void keep_file(const PerfRecord& record) {
    const auto mmap = decode_mmap(record);
    if (!mmap || mmap->is_data || record.cpu_mode() != misc::kUser) return;
    debug_files_.keep(mapped_file(*mmap));
  }

  // --- The end ------------------------------------------------------------

  // Before waiting for the program: an impatient user keeps the recording.
  void store_the_end() {
    if (file_->has_failed()) return;
    store_lost_samples();
    if (options_.off_cpu) store_end_time();
    file_->flush();
    update();
  }

  // LOST records report what was lost before them. What was lost at the very
  // end is known only to the events themselves (since Linux 6.0); perf stores
  // it as LOST_SAMPLES too.
  void store_lost_samples() {
    std::uint64_t all = 0;
    for (const OpenedEvent& event : events_->all()) {
      if ((event.attr().read_format & read_format::kLost) == 0) return;
      RecordEncoder encoder(event.attr(), event.ids.front(), last_time_);
      std::uint64_t lost = 0;
      for (const UniqueFd& fd : event.fds)
        lost += read_event(fd.get(), event.attr()).lost;
      all += lost;
      if (lost > 0) file_->write(encoder.lost_samples(lost));
    }
    result_.lost = std::max(result_.lost, all);
  }

  // Threads that sleep at the end have no record of that moment; a record of
  // nothing lost has its time.
  void store_end_time() {
    const OpenedEvent& first = events_->front();
    file_->write(RecordEncoder(first.attr(), first.ids.front(),
                               std::max(end_time_, last_time_))
                     .lost_samples(0));
  }

  // A program that still runs when the recording is stopped is stopped as well:
  // by Ctrl-C, which a terminal sends to both, else by us. If the file failed,
  // the program runs to its end.
  void end_program() {
    while (file_->has_failed() && !is_over()) std::this_thread::sleep_for(20ms);
    for (const int signal : {SIGINT, SIGTERM}) {
      if (!result_.interrupted || program_->status()) break;
      ::kill(program_->pid(), signal);
      for (int i = 0; i < 100 && !program_->status(); ++i)
        std::this_thread::sleep_for(10ms);
    }
    if (const auto status = program_->status())
      result_.program_status = *status;
    else
      result_.running_program = program_->pid();
    if (processes_->tree() != nullptr) note_survivors();
  }

  // A daemon, or whatever a shell has started in the background.
  void note_survivors() {
    for (const std::uint32_t number : processes_->tree()->alive()) {
      const auto pid = static_cast<pid_t>(number);
      if (pid == program_->pid() || ::kill(pid, 0) != 0) continue;
      result_.survivors.push_back({.pid = pid, .name = name_of(pid)});
    }
  }

  void finish_file() {
    if (stacks_) {
      stacks_->note_problems(result_.diagnostics, has_room());
      facts_.copied_bytes = stacks_->copied_bytes();
    }
    result_.diagnostics.note(Problem::kBadRecord, window_->unknown());
    if (sampled_ && !file_->has_failed()) keep_names();
    note_unsampled_time();
    report_events();
    if (copies_) report_copies();
    facts_.losses = result_.diagnostics;
    // Readers count these themselves.
    cut_stacks_.note(result_.diagnostics);
    if (file_->has_failed())
      facts_.losses.note(Problem::kLostSamples, unwritten());
    file_->header().facts(facts_);
    file_->header().sample_times(first_time_, last_time_);
    // The last sections may be what no longer fits.
    file_->finish();
    update();
    if (file_->has_failed()) result_.unwritten = unwritten();
    result_.bytes = file_->bytes();
  }

  // For larger copies of stacks.
  bool has_room() const {
    return result_.lost == 0 && !plan_.has_small_copies &&
           !(copies_ && copies_->shrunk_at() > 0);
  }

  // Those that have samples, or the first one if none has any.
  void report_events() {
    for (std::size_t i = 0; i < samples_of_.size(); ++i) {
      const OpenedEvent& event = events_->all()[i];
      std::vector<std::string>& names = result_.events;
      const bool is_named = result_.samples > 0
                                ? samples_of_[i] > 0
                                : !event.plan.is_side_band && names.empty();
      if (!is_named) continue;
      if (names.empty()) result_.stack_size = event.attr().sample_stack_user;
      if (std::ranges::find(names, event.plan.spec.name) == names.end())
        names.push_back(event.plan.spec.name);
    }
  }

  void report_copies() {
    result_.switch_stack_size = copies_->size();
    if (copies_->shrunk_at() > 0)
      result_.limitations.push_back(copies_->limitation(first_time_));
  }

  // Takes several times the memory of a recording, as reading it would. Without
  // names it still is a recording.
  void keep_names() {
    stacks_.reset();
    window_->close();
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
    try {
      file_->header().names(look_up_names(
          *sampled_, limits_.release,
          {.file_bytes = file_->bytes(), .memory = 4 * options_.memory},
          result_.diagnostics));
    } catch (const Error&) {
      result_.diagnostics.note(Problem::kNamesNotKept, sampled_->addresses());
    }
  }

  // Of a program that may run on, only what happened until now is known.
  void note_unsampled_time() {
    if (!account_ || !account_->is_open() || !has_begun_) return;
    const RecordedTree* tree = processes_->tree();
    CpuTimes others{.lost = result_.lost,
                    .tasks = tree != nullptr ? tree->tasks() : forks_,
                    .is_kernel_wanted = !options_.user_only &&
                                        !excludes(attr_flag::kExcludeKernel)};
    // Of a program, that of its children is included.
    if (tree != nullptr && options_.children && options_.cpus.empty() &&
        begin_time_ == 0) {
      others.used = cpu_time_;
      others.is_refused = program_->is_protected();
    }
    const std::uint64_t whole =
        note_unsampled(account_->times(others), result_.diagnostics);
    facts_.cpu_time = whole;
  }

  std::uint64_t unwritten() const {
    return result_.samples - file_->kept_samples();
  }

  const RecordOptions& options_;
  const StopRequest& stop_;
  KernelLimits limits_;
  RecordResult result_;
  RecordingPlan plan_;
  std::optional<HeldProgram> program_;
  std::optional<OpenedEvents> events_;
  std::optional<RingBuffers> rings_;

  PerfHeader header_;  // of the records that come from the buffers
  std::vector<std::uint64_t> samples_of_;  // of each of its events
  std::optional<RecordWindow> window_;
  std::optional<SwitchCopies> copies_;  // with off_cpu
  std::optional<RecordedProcesses> processes_;
  std::optional<SleepingThreads> sleepers_;  // until they were looked at
  RecordingMemory memory_{options_.memory};
  DebugFiles debug_files_{
      {.os_release = limits_.release, .memory = memory_.files}};
  Images images_{debug_files_,
                 {.files = memory_.files, .names = memory_.names}};
  std::atomic<int> watched_execs_ = 0;
  std::optional<ExecWatch> exec_watch_;  // at first, and if programs are new
  std::optional<SampledCode> sampled_;   // if names are kept
  std::vector<PerfHeader::BuildId> kernel_build_ids_;
  std::optional<CpuTimeAccount> account_;  // of a program or threads
  std::uint64_t forks_ = 0;
  std::optional<std::uint64_t> cpu_time_;  // of a program that has ended
  bool has_begun_ = false;                 // the delay is over
  std::optional<LiveStacks> stacks_;
  std::optional<RecordingFile> file_;
  RecordingFacts facts_;

  Clock::time_point begin_ = Clock::now();
  CutStacks cut_stacks_;
  std::uint64_t first_time_ = 0, last_time_ = 0;  // of samples
  // By the clock of the events: samples count from begin_time_ on.
  std::uint64_t begin_time_ = 0, end_time_ = 0;
};

}  // namespace

RecordResult record(
    const RecordOptions& options, const StopRequest& stop,
    const std::function<void(const RecordProgress&)>& progress) {
  return Recorder(options, stop).run(progress);
}

}  // namespace wick

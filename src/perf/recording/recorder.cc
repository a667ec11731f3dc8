// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/recorder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"
#include "object/images.h"
#include "perf/events/cgroups.h"
#include "perf/events/event_open.h"
#include "perf/events/kernel_limits.h"
#include "perf/events/ring_buffer.h"
#include "perf/file/build_ids.h"
#include "perf/file/data_writer.h"
#include "perf/file/machine_info.h"
#include "perf/file/record_window.h"
#include "perf/recording/known_processes.h"
#include "perf/recording/live_stacks.h"
#include "perf/recording/opened_events.h"
#include "perf/recording/proc_events.h"
#include "perf/recording/program.h"
#include "perf/recording/recorded_threads.h"
#include "perf/recording/recording_plan.h"
#include "perf/recording/tracing_data.h"
#include "perf/records/record_encoder.h"
#include "perf/records/record_scanner.h"
#include "perf/records/registers.h"
#include "perf/session/off_cpu.h"
#include "perf/session/wakers.h"
#include "profile/diagnostics.h"

namespace wick {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> stop_wanted = false;
std::atomic<const RingBuffers*> waiting_rings = nullptr;

class Recorder {
 public:
  explicit Recorder(const RecordOptions& options)
      : options_(options), limits_(read_kernel_limits()) {}

  RecordResult run(const std::function<void(const RecordProgress&)>& progress) {
    // A file that may not grow further is told by write().
    ::signal(SIGXFSZ, SIG_IGN);
    if (!options_.program.empty())
      program_.emplace(options_.program, options_.folder);
    // The program keeps its own limit.
    raise_open_files_limit();
    // Reading buffers must not wait for those who fill them. The program was
    // started before, so that it is not hurried, too.
    ::setpriority(PRIO_PROCESS, 0, -10);
    plan();
    open_events();
    // What runs already goes on while it is described, and may start threads
    // and map files: its events are enabled before.
    opened_time_ = event_clock_now(events_->front().attr());
    if (attaches()) events_->enable();
    open_file();
    try_to_write([&] { describe_what_is_there(); });
    start();
    loop(progress);
    finish();
    return std::move(result_);
  }

 private:
  void plan() {
    plan_ = plan_recording(options_, limits_);
    for (const PlannedEvent& planned : plan_.events)
      if (!planned.is_side_band &&
          std::ranges::find(result_.events, planned.spec.name) ==
              result_.events.end())
        result_.events.push_back(planned.spec.name);
    result_.has_no_cycles = plan_.has_no_cycles;
    result_.notes = std::move(plan_.notes);
  }

  void open_events() {
    events_.emplace(plan_, options_, limits_, program_ ? program_->pid() : -1,
                    result_.notes);
    rings_.emplace(events_->map_buffers(result_.notes));
    waiting_rings = &*rings_;
  }

  bool attaches() const { return !records_program(options_); }

  // --- The file -----------------------------------------------------------

  bool unwinds() const {
    return copies_stacks(options_) && !options_.keep_stacks;
  }

  void open_file() {
    std::vector<RecordedEvent> recorded;
    std::vector<std::string> tracepoints;
    for (const OpenedEvent& event : events_->all()) {
      recorded.push_back({.attr = unwinds()
                                      ? LiveStacks::stored(event.plan.attr)
                                      : event.plan.attr,
                          .name = event.plan.spec.name,
                          .ids = event.ids});
      if (event.plan.spec.is_tracepoint)
        tracepoints.push_back(event.plan.spec.name);
      PerfEvent& known = known_.emplace_back();
      known.name = event.plan.spec.name;
      known.attr = event.attr();
      known.layout = id_layout(event.plan.attr);
      known.ids = event.ids;
    }
    result_.stack_size = events_->front().attr().sample_stack_user;
    file_.emplace(
        options_.output, std::move(recorded),
        PerfDataWriter::Options{.compression_level = options_.compression,
                                .recorder = options_.recorder});
    file_->machine(machine_info());
    file_->command_line(options_.command_line);
    if (!tracepoints.empty()) {
      std::string description = collect_tracing_data(tracepoints);
      if (events_->back().plan.is_everywhere) {
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
    if (const auto clock = read_clock(options_.clock))
      file_->clock(clock->moment, clock->resolution_ns);
    set_begin_time();  // for a file that is not finished
    if (unwinds())
      stacks_.emplace(own_machine(), images_, worker_count(0),
                      [this](std::string_view record) { write(record); });
    window_.emplace(known_);
  }

  ProcEvents proc_events(std::uint64_t time) const {
    const OpenedEvent& first = events_->front();
    return ProcEvents(
        {.attr = first.attr(),
         .id = first.ids.front(),
         .time = time,
         .build_ids = true,
         .data_mappings = first.attr().flag(attr_flag::kMmapData)});
  }

  void describe_what_is_there() {
    using namespace std::chrono_literals;
    ProcEvents proc = proc_events(opened_time_);
    auto drained = Clock::now();
    const auto emit = [&](std::string_view record) {
      take_described(record);
      if (Clock::now() - drained < 20ms) return;
      drain();
      drained = Clock::now();
    };
    // How long these are is a guess; modules, whose sizes are known, come later
    // and take what is theirs.
    if (limits_.shows_kernel_addresses() && !options_.user_only &&
        has_bpf_programs())
      proc.kernel_symbols(emit);
    proc.kernel(emit);
    // Any process may move into a group, and has its code then. Those in it
    // sleep there, until they are seen to run.
    if (!options_.cgroup.empty())
      proc.all_processes(threads_of_cgroup(options_.cgroup), emit);
    else if (options_.system_wide)
      proc.all_processes(emit);
    for (const pid_t pid : options_.processes) proc.process(pid, emit);
    for (const pid_t tid : options_.threads) proc.thread(tid, emit);
    end_round();
  }

  // What woke a thread is called, and where its code is, the kernel does not
  // tell if it is none of those that are recorded.
  void introduce_stranger(std::uint64_t time) {
    if (const std::uint32_t pid = threads_->new_stranger())
      proc_events(time).stranger(static_cast<pid_t>(pid),
                                 [&](std::string_view record) {
                                   store(window_->parsed(record), record);
                                 });
  }

  void take_described(std::string_view record) {
    const PerfRecord parsed = window_->parsed(record);
    processes_.on_described(parsed);
    take(parsed, record);
  }

  void introduce_newcomer(const PerfRecord& sample) {
    const std::uint32_t pid = processes_.newcomer(sample);
    if (pid == 0) return;
    proc_events(sample.time - 1)
        .process(static_cast<pid_t>(pid),
                 [&](std::string_view record) { take_described(record); });
  }

  // --- Running ------------------------------------------------------------

  // Events that are not enabled do not tell of mappings, names and threads
  // either. So they are enabled at once, and samples before the end of the
  // delay are dropped.
  void start() {
    begin_ = Clock::now();
    set_begin_time();
    if (!attaches()) events_->enable();
    if (program_) program_->start();
  }

  void set_begin_time() {
    if (options_.delay == 0 && !attaches()) return;
    begin_time_ = event_clock_now(events_->front().attr()) +
                  static_cast<std::uint64_t>(options_.delay * 1e9);
    if (options_.delay > 0 || options_.off_cpu) facts_.begin_time = begin_time_;
    file_->facts(facts_);
  }

  // Where threads went to sleep that have not come back by then is worth
  // knowing.
  bool is_too_early(const PerfRecord& record) const {
    return record.time < begin_time_ &&
           !(options_.off_cpu && record.event != nullptr &&
             (OffCpu::is_switch(*record.event) ||
              Wakers::is_waking(*record.event)));
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
    if (options_.system_wide || !options_.cgroup.empty()) return false;
    return rings_->live_events() <= events_->lasting();
  }

  void loop(const std::function<void(const RecordProgress&)>& progress) {
    using namespace std::chrono_literals;
    auto shown = Clock::now();
    bool over = false;
    while (!over) {
      over = is_over();
      if (!over) rings_->wait(20ms);
      over |= !read_round(false);
      if (progress && Clock::now() - shown > 200ms) {
        shown = Clock::now();
        update();
        progress(result_);
      }
    }
    end_time_ = event_clock_now(events_->front().attr());
    events_->disable();
    read_round(true);
    store_the_end();
  }

  // False if the file cannot take it. Everything that comes is only counted
  // from then on.
  bool read_round(bool is_last) {
    if (!result_.write_error.empty()) {
      take_round(is_last);
      return false;
    }
    return try_to_write([&] { take_round(is_last); });
  }

  // Before the program is waited for: whoever has no patience keeps it.
  void store_the_end() {
    if (!result_.write_error.empty()) return;
    try_to_write([&] {
      store_lost_samples();
      if (options_.off_cpu) store_end_time();
      file_->flush();
      count_kept();
    });
  }

  // What the file cannot take ends the recording; what stands in it is kept.
  template <class Body>
  bool try_to_write(Body body) {
    try {
      body();
      return true;
    } catch (const Error& error) {
      if (!file_->is_full()) throw;
      cannot_write(error);
      return false;
    }
  }

  void cannot_write(const Error& error) {
    update();
    result_.write_error = error.what();
  }

  // LOST records tell of what was lost before them. What was lost at the end,
  // only the events themselves know (since Linux 6.0), and perf stores it so.
  void store_lost_samples() {
    std::uint64_t all = 0;
    for (const OpenedEvent& event : events_->all()) {
      if ((event.attr().read_format & read_format::kLost) == 0) return;
      RecordEncoder encoder(event.attr(), event.ids.front(), last_time_);
      std::uint64_t lost = 0;
      for (const UniqueFd& fd : event.fds)
        lost += read_event(fd.get(), event.attr()).lost;
      all += lost;
      if (lost > 0) write(encoder.lost_samples(lost));
    }
    result_.lost = std::max(result_.lost, all);
  }

  // Those who sleep at the end have no record that says how late it is; one of
  // nothing lost does.
  void store_end_time() {
    const OpenedEvent& first = events_->front();
    write(RecordEncoder(first.attr(), first.ids.front(),
                        std::max(end_time_, last_time_))
              .lost_samples(0));
  }

  void drain() {
    rings_->drain(
        [&](std::size_t, std::string_view record) { window_->add(record); });
  }

  // Records that are older than the moment before reading are complete on all
  // CPUs; younger ones wait for the next round.
  void take_round(bool is_last) {
    const std::uint64_t now =
        is_last ? UINT64_MAX : event_clock_now(events_->front().attr());
    drain();
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
        if (is_too_early(record)) return;
        if (record.event == strangers_) {
          if (!threads_->are_woken_by(record)) return;
          introduce_stranger(record.time - 1);
        } else if (attaches()) {
          introduce_newcomer(record);
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
        processes_.visit(record);
        if (threads_) threads_->visit(record);
        break;
    }
    store(record, whole);
  }

  void store(const PerfRecord& record, std::string_view whole) {
    if (!result_.write_error.empty()) return;
    if (stacks_)
      stacks_->visit(record, whole);
    else
      write(whole);
  }

  void write(std::string_view record) {
    const bool is_sample =
        read_record_header(record.data(), false).type == RecordType::kSample;
    written_ += is_sample ? 1 : 0;
    file_->write(record);
    count_kept();
  }

  // A write takes all that waits to be written.
  void count_kept() {
    const std::uint64_t bytes = file_->flushed_bytes();
    if (std::exchange(flushed_, bytes) != bytes) kept_ = written_;
  }

  void end_round() {
    if (!result_.write_error.empty()) return;
    if (stacks_) stacks_->end_round();
    file_->finished_round();
    count_kept();
  }

  void update() {
    if (!result_.write_error.empty()) return;
    result_.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(
        Clock::now() - begin_);
    result_.bytes = file_->bytes();
  }

  // The last of it may be what is too much.
  void finish_file() {
    try {
      file_->finish();
      update();
      result_.bytes = file_->bytes();
    } catch (const Error& error) {
      if (!file_->is_full()) throw;
      cannot_write(error);
      result_.unwritten = result_.samples - kept_;
      result_.bytes = file_->bytes();
    }
  }

  // A program that still runs when the recording is stopped is stopped, too:
  // by Ctrl-C, which a terminal sends to both of them, else by us. One whose
  // recording has no place any more runs to its end.
  void end_program() {
    using namespace std::chrono_literals;
    while (!result_.write_error.empty() && !is_over())
      std::this_thread::sleep_for(20ms);
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
  }

  void finish() {
    if (program_) end_program();
    waiting_rings = nullptr;
    if (!result_.write_error.empty()) {
      result_.unwritten = result_.samples - kept_;
      facts_.losses.note(Problem::kLostSamples, result_.unwritten);
    }
    if (stacks_) {
      stacks_->unwinding().note_ends(result_.stacks);
      result_.stacks.note(Problem::kBadRecord, stacks_->damaged());
      facts_.losses.merge(result_.stacks);
    }
    file_->facts(facts_);
    file_->sample_times(first_time_, last_time_);
    finish_file();
  }

  const RecordOptions& options_;
  KernelLimits limits_;
  RecordResult result_;
  RecordingPlan plan_;
  std::optional<HeldProgram> program_;
  std::optional<OpenedEvents> events_;
  std::optional<RingBuffers> rings_;

  std::vector<PerfEvent> known_;
  std::optional<RecordWindow> window_;
  std::optional<PerfDataWriter> file_;
  RecordingFacts facts_;
  DebugFiles debug_files_{{.os_release = limits_.release}};
  Images images_{debug_files_};
  std::optional<LiveStacks> stacks_;
  // Wakings by others than those who are recorded, and who these are.
  const PerfEvent* strangers_ = nullptr;
  KnownProcesses processes_;
  std::optional<RecordedThreads> threads_;

  Clock::time_point begin_ = Clock::now();
  // Samples given to the file, and those of them that a reader would find.
  std::uint64_t written_ = 0, kept_ = 0;
  std::uint64_t flushed_ = 0;  // bytes of the file by then
  std::uint64_t first_time_ = 0, last_time_ = 0;
  // By the clock of the events: from when on samples count, and when it was
  // over.
  std::uint64_t opened_time_ = 0, begin_time_ = 0, end_time_ = 0;
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

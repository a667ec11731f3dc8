// SPDX-License-Identifier: Apache-2.0
#include "cli/record_arguments.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "base/tell.h"
#include "base/text.h"
#include "cli/option_table.h"
#include "cli/process.h"
#include "perf/events/kernel_limits.h"

namespace wick {
namespace {

std::vector<pid_t> parse_ids(std::string_view text, const char* option) {
  std::vector<pid_t> ids;
  while (!text.empty()) {
    const std::string_view word = take_until(text, ',');
    const auto id = to_number<pid_t>(word);
    if (!id || *id <= 0)
      fail_usage("{}: '{}' is not a process id", option, excerpt(word));
    if (::kill(*id, 0) != 0 && errno == ESRCH)
      fail("there is no process {}", *id);
    ids.push_back(*id);
  }
  return ids;
}

// "8M", "512K", "4096", in bytes; a plain number is pages, as in perf.
std::size_t parse_buffer(std::string_view text) {
  if (text.empty()) return 0;
  std::size_t unit = 0;
  switch (text.back()) {
    case 'B':
      unit = 1;
      break;
    case 'K':
      unit = std::size_t{1} << 10;
      break;
    case 'M':
      unit = std::size_t{1} << 20;
      break;
    case 'G':
      unit = std::size_t{1} << 30;
      break;
    default:
      break;
  }
  if (unit != 0) text.remove_suffix(1);
  const auto number = to_number<std::size_t>(text);
  if (!number || *number == 0 || *number > (std::size_t{1} << 20))
    fail_usage("-m: '{}' is not a size; 8M, 512K or a number of pages is",
               excerpt(text));
  return *number * (unit != 0 ? unit : 4096);
}

int parse_clock(const std::string& name) {
  if (name == "monotonic" || name == "CLOCK_MONOTONIC" || name == "mono" ||
      name == "1")
    return CLOCK_MONOTONIC;
  if (name == "raw" || name == "monotonic_raw" || name == "CLOCK_MONOTONIC_RAW")
    return CLOCK_MONOTONIC_RAW;
  if (name == "realtime" || name == "CLOCK_REALTIME" || name == "real")
    return CLOCK_REALTIME;
  if (name == "boottime" || name == "CLOCK_BOOTTIME" || name == "boot")
    return CLOCK_BOOTTIME;
  if (name == "tai" || name == "CLOCK_TAI") return CLOCK_TAI;
  fail_usage(
      "-k: there is no clock '{}'; there is monotonic, monotonic_raw, "
      "realtime, boottime, tai",
      excerpt(name));
}

void parse_call_graph(std::string_view text, RecordOptions& options) {
  using CallGraph = RecordOptions::CallGraph;
  const std::string_view kind = take_until(text, ',');
  if (kind == "auto")
    options.call_graph = CallGraph::kAuto;
  else if (kind == "dwarf")
    options.call_graph = CallGraph::kDwarf;
  else if (kind == "fp")
    options.call_graph = CallGraph::kFramePointers;
  else if (kind == "none")
    options.call_graph = CallGraph::kNone;
  else
    fail_usage("--call-graph: '{}' is none of auto, dwarf, fp, none",
               excerpt(kind));
  if (text.empty()) return;
  if (!options.copies_stacks())
    fail_usage(
        "--call-graph: '{}' behind {}: a size is for dwarf, which copies "
        "stacks",
        excerpt(text), kind);
  const auto size = to_number<std::uint32_t>(text);
  if (!size || *size < 8 || *size > 65528)
    fail_usage("--call-graph: '{}' is not a size from 8 to 65528",
               excerpt(text));
  options.stack_size = *size;
}

// One line that is written over, on a terminal.
class RecordLine {
 public:
  explicit RecordLine(bool quiet)
      : shown_(!quiet && ::isatty(STDERR_FILENO) != 0) {}
  ~RecordLine() {
    if (written_) tell("\r\033[K");
  }
  RecordLine(const RecordLine&) = delete;
  RecordLine& operator=(const RecordLine&) = delete;

  void operator()(const RecordProgress& now) {
    if (!shown_) return;
    written_ = true;
    tell("\r\033[Krecording {:.1f} s, {} samples, {} lost, {}",
         static_cast<double>(now.elapsed.count()) / 1000,
         with_commas(static_cast<std::int64_t>(now.samples)),
         with_commas(static_cast<std::int64_t>(now.lost)),
         size_text(now.bytes));
    std::fflush(stderr);
  }

 private:
  bool shown_;
  bool written_ = false;
};

// Signals belong to the whole process, so the request they stop by does too.
EndRequests interruptions;
std::atomic<StopRequest*> stopped_by_signal = nullptr;

extern "C" void on_interrupt(int signal) {
  const int count = interruptions.add();
  if (count > 1) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  if (StopRequest* request = stopped_by_signal) request->stop();
}

// Ctrl-C and `timeout` end the recording; what was recorded is kept.
class StopBySignal {
 public:
  StopBySignal() {
    interruptions.clear();
    stopped_by_signal = &request_;
    // write() then reports a file that may not grow further.
    ::signal(SIGXFSZ, SIG_IGN);
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      ::sigaction(kSignals[i], &action, &before_[i]);
      // What was ignored for wick (nohup) stays ignored.
      if (before_[i].sa_handler == SIG_IGN && kSignals[i] != SIGINT)
        ::sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  ~StopBySignal() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i)
      ::sigaction(kSignals[i], &before_[i], nullptr);
    stopped_by_signal = nullptr;
  }
  StopBySignal(const StopBySignal&) = delete;
  StopBySignal& operator=(const StopBySignal&) = delete;

  const StopRequest& request() const { return request_; }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  StopRequest request_;
  struct sigaction before_[std::size(kSignals)];
};

}  // namespace

int RecordArguments::compression_level() const {
  if (compression.empty()) return 0;
  const auto level = to_number<int>(compression);
  if (!level || *level < 1 || *level > 22)
    fail_usage("-z: '{}' is not a level from 1 to 22", excerpt(compression));
  return *level;
}

RecordOptions RecordArguments::resolved(
    const std::vector<std::string>& program) const {
  if (!program.empty()) check_program(program);
  RecordOptions options{.program = program,
                        .processes = parse_ids(pids, "-p"),
                        .threads = parse_ids(tids, "-t"),
                        .system_wide = system_wide,
                        .cgroup = cgroup,
                        .events = events,
                        .filter = filter,
                        .frequency = frequency,
                        .period = static_cast<std::uint64_t>(period),
                        .keep_stacks = keep_stacks,
                        .user_only = user_only,
                        .off_cpu = off_cpu || wakers || wall,
                        .wakers = wakers,
                        .clock = parse_clock(clock),
                        .buffer_size = parse_buffer(buffer),
                        .compression = compression_level(),
                        .duration = duration,
                        .delay = delay,
                        .recorder = std::string(trim(version_text()))};
  if (!cpus.empty()) {
    options.cpus = parse_cpu_list(cpus);
    if (options.cpus.empty())
      fail_usage("-C: '{}' is not a list of CPUs, as in 0,2-3", excerpt(cpus));
  }
  parse_call_graph(call_graph, options);
  if (keep_stacks && !options.copies_stacks())
    fail_usage(
        "--keep-stacks: there are no copies of stacks to keep with "
        "--call-graph {}; dwarf makes some",
        call_graph);
  const int targets = (pids.empty() && tids.empty() ? 0 : 1) +
                      (system_wide ? 1 : 0) + (cgroup.empty() ? 0 : 1);
  // `-p 7 -- CMD` records 7 for as long as CMD runs, as perf does.
  if (targets > 1) fail_usage("-p or -t, -a and --cgroup exclude each other");
  return options;
}

namespace {

// Values with commas between them; those of several such options are one list.
Option* add_list(OptionSet& app, const std::string& names, std::string& out,
                 const std::string& value, const std::string& description) {
  return app
      .add_list_callback(
          names,
          [&out](const std::vector<std::string>& lists) {
            out = fmt::format("{}", fmt::join(lists, ","));
          },
          description)
      ->one_value_each()
      ->type_name(value);
}

std::vector<Option*> add_target_options(OptionSet& app,
                                        RecordArguments& options) {
  return {
      add_list(app, "-p,--pid", options.pids, "PID[,PID…]",
               "attach to these processes"),
      add_list(app, "-t,--tid", options.tids, "TID[,TID…]",
               "attach to these threads alone"),
      add_flag(app, "-a,--all-cpus", options.system_wide,
               "record the whole machine"),
      add_text(app, "--cgroup", options.cgroup, "NAME",
               "record this control group, by its path below where groups are "
               "mounted"),
  };
}

}  // namespace

std::vector<Option*> add_record_options(OptionSet& app,
                                        RecordArguments& options,
                                        const RecordOptionNames& names) {
  std::vector<Option*> targets;
  if (names.targets) targets = add_target_options(app, options);
  Option* rate = add_number(app, "-F,--freq", options.frequency, "HZ",
                            {1, 1000000}, "samples per second");
  Option* period = add_number(app, names.period, options.period, "N", {0, 1e18},
                              "a sample every N events instead");
  rate->excludes(period);
  std::vector<Option*> added{
      add_list(app, "-C,--cpu", options.cpus, "0,2-3", "only on these CPUs"),
      add_list(
          app, names.event, options.events, "EVENT[,EVENT…]",
          "what to sample by, as `perf list` names it; without it, cycles, "
          "or cpu-clock where there are none"),
      add_text(app, "--filter", options.filter, "CONDITION",
               "of tracepoints, in the kernel's words: 'prev_pid == 3'"),
      rate,
      period,
      add_text(app, "--call-graph", options.call_graph,
               "auto|dwarf[,SIZE]|fp|none",
               "how callers are found: by unwinding a copy of SIZE bytes of "
               "stack while recording (auto, dwarf), or by frame pointers"),
      add_flag(app, "--keep-stacks", options.keep_stacks,
               "keep the copies of stacks in the file"),
      add_flag(app, "--user", options.user_only, "no kernel code"),
      add_flag(app, "--off-cpu", options.off_cpu,
               "also record when, where and why threads leave the CPU; read as "
               "the event offcpu-time"),
      add_flag(app, "--wakers", options.wakers,
               "as --off-cpu, and who woke them: the waker's stack stands "
               "behind the blocked one, from its leaf back to its root"),
      add_text(app, names.clock, options.clock, "CLOCK",
               "monotonic, monotonic_raw or, for software events, realtime, "
               "boottime or tai"),
      add_text(app, "-m,--mmap-pages", options.buffer, "SIZE",
               "buffer for each CPU: 8M, 512K or a number of pages"),
      app.add_callback(
             "-z,--compression-level",
             [&options](const std::string& level) {
               options.compression = level.empty() ? "1" : level;
             },
             "pack the file with zstd, as hard as this (1 to 22; 1 without a "
             "level)")
          ->optional_value()
          ->type_name("LEVEL"),
      add_number(app, "--duration", options.duration, "SECONDS", {0, 1e9},
                 "stop after this time; 0: do not"),
      add_number(app, "-D,--delay", options.delay, "SECONDS", {0, 1e9},
                 "take no samples before this time"),
  };
  // Who is used to perf asks for callers, which are there without asking.
  app.add_flag_callback(
         "-g", [] {}, "accepted; always so")
      ->group("");
  added.insert(added.end(), targets.begin(), targets.end());
  for (Option* option : added) option->group("Recording");
  return added;
}

RecordResult run_recording(const RecordOptions& options,
                           const RunOptions& run) {
  const StopBySignal signals;
  RecordResult result = [&] {
    RecordLine line(run.quiet);
    return record(options, signals.request(),
                  [&](const RecordProgress& now) { line(now); });
  }();
  for (const std::string& limitation : result.limitations) say(run, limitation);
  return result;
}

void check_written(const RecordResult& result, std::string_view elsewhere) {
  if (result.write_error.empty()) return;
  fail(
      "{}; the recording ended after {:.1f} s: {} can be read, {} and all that "
      "came later are missing; make room, or write elsewhere with {}",
      result.write_error, static_cast<double>(result.elapsed.count()) / 1000,
      counted(result.samples - result.unwritten, "sample"),
      counted(result.unwritten, "sample"), elsewhere);
}

void say_ends(const RecordResult& result, const RunOptions& run) {
  if (result.running_program != 0)
    say(run, fmt::format("the program still runs, as process {}",
                         result.running_program));
  if (result.program_status != 0)
    say(run, end_of_program(result.program_status));
}

std::string recorded_text(const RecordResult& result) {
  const std::vector<std::string>& events = result.events;
  constexpr std::size_t kMostNames = 3;
  const std::size_t named =
      events.size() > kMostNames ? kMostNames - 1 : events.size();
  std::string text = "of " + events.front();
  if (result.has_no_cycles) text += " (cycles cannot be counted here)";
  for (std::size_t i = 1; i < named; ++i)
    text += (i + 1 == events.size() ? " and " : ", ") + events[i];
  if (named < events.size())
    text += fmt::format(" and {} other events", events.size() - named);
  if (result.stack_size > 0)
    text += fmt::format(" with up to {} kB of stack",
                        (result.stack_size + 512) / 1024);
  return text;
}

}  // namespace wick

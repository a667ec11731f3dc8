// SPDX-License-Identifier: Apache-2.0
#include "cli/record_arguments.h"

#include <fmt/format.h>
#include <signal.h>
#include <time.h>

#include <cerrno>
#include <optional>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/options/option_kinds.h"
#include "cli/options/option_table.h"
#include "cli/process.h"
#include "perf/events/kernel_limits.h"

namespace wick {
namespace {

// "8M", "512K", "100B", in bytes; a plain number is in units of `plain`.
std::optional<std::uint64_t> parse_size(std::string_view text,
                                        std::uint64_t plain) {
  constexpr std::string_view kUnits = "BKMG";
  std::uint64_t unit = plain;
  if (const auto at = text.empty() ? text.npos : kUnits.find(text.back());
      at != text.npos) {
    unit = std::uint64_t{1} << (10 * at);
    text.remove_suffix(1);
  }
  const auto number = to_number<std::uint64_t>(text);
  if (!number || *number == 0 || *number > (std::uint64_t{1} << 32)) return {};
  return *number * unit;
}

// A plain number is pages, as in perf.
std::size_t parse_buffer(std::string_view text) {
  constexpr std::uint64_t kPage = 4096;
  if (text.empty()) return 0;
  const auto size = parse_size(text, kPage);
  if (!size || *size > (std::uint64_t{1} << 50))
    fail_usage("-m: '{}' is not a size such as 8M, 512K or a number of pages",
               excerpt(text));
  return static_cast<std::size_t>(*size);
}

std::uint64_t parse_memory(std::string_view text) {
  const auto size = parse_size(text, 1);
  if (!size)
    fail_usage("--memory: '{}' is not a size such as 512M or 2G",
               excerpt(text));
  if (*size < RecordOptions::kLeastMemory)
    fail_usage("--memory: {} is too little; the least is {}M", excerpt(text),
               RecordOptions::kLeastMemory >> 20);
  return *size;
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
      "--clockid: '{}' is not one of monotonic, monotonic_raw, realtime, "
      "boottime, tai",
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
    fail_usage("--call-graph: '{}' is not one of auto, dwarf, fp, none",
               excerpt(kind));
  if (text.empty()) return;
  if (!options.copies_stacks())
    fail_usage(
        "--call-graph: {} takes no size ('{}'); dwarf does, since it copies "
        "stacks",
        kind, excerpt(text));
  const auto size = to_number<std::uint32_t>(text);
  if (!size || *size < 8 || *size > 65528)
    fail_usage("--call-graph: '{}' is not a size from 8 to 65528",
               excerpt(text));
  options.stack_size = *size;
}

}  // namespace

std::vector<pid_t> parse_ids(std::string_view text, std::string_view option,
                             std::string_view what) {
  std::vector<pid_t> ids;
  while (!text.empty()) {
    const std::string_view word = take_until(text, ',');
    const auto id = to_number<pid_t>(word);
    if (!id || *id <= 0)
      fail_usage("{}: '{}' is not a {} id", option, excerpt(word), what);
    if (::kill(*id, 0) != 0 && errno == ESRCH)
      fail("{}: there is no {} {}", option, what, *id);
    ids.push_back(*id);
  }
  return ids;
}

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
                        .processes = parse_ids(pids, "-p", "process"),
                        .threads = parse_ids(tids, "-t", "thread"),
                        .system_wide = system_wide,
                        .cgroup = cgroup,
                        .children = !no_children,
                        .events = events,
                        .filter = filter,
                        .frequency = frequency,
                        .period = static_cast<std::uint64_t>(period),
                        .keep_stacks = keep_stacks,
                        .keep_names = !no_names,
                        .user_only = user_only,
                        .off_cpu = off_cpu || wakers || wall,
                        .wakers = wakers,
                        .clock = parse_clock(clock),
                        .buffer_size = parse_buffer(buffer),
                        .memory = parse_memory(memory),
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
    fail_usage("--keep-stacks: --call-graph {} copies no stacks; dwarf does",
               call_graph);
  const int targets = (pids.empty() && tids.empty() ? 0 : 1) +
                      (system_wide ? 1 : 0) + (cgroup.empty() ? 0 : 1);
  if (no_children && (system_wide || !cgroup.empty()))
    fail_usage("--no-children: {} records all processes",
               system_wide ? "-a" : "--cgroup");
  // `-p 7 -- CMD` records 7 while CMD runs, as in perf.
  if (targets > 1) fail_usage("-p or -t, -a and --cgroup exclude each other");
  return options;
}

namespace {

// Values separated by commas; a repeated option adds to the list.
Option* add_list(OptionSet& app, const std::string& names, std::string& out,
                 const std::string& value, const std::string& description) {
  return app
      .add_list_callback(
          names,
          [&out](const std::vector<std::string>& lists) {
            out = joined(lists, ",");
          },
          description)
      ->one_value_each()
      ->type_name(value);
}

std::vector<Option*> add_target_options(OptionSet& app,
                                        RecordArguments& options) {
  return {
      add_list(app, "-p,--pid", options.pids, "PID[,PID…]",
               "attach to these processes and all their descendants"),
      add_list(app, "-t,--tid", options.tids, "TID[,TID…]",
               "attach to these threads only"),
      add_flag(app, "-a,--all-cpus", options.system_wide,
               "record the whole machine"),
      add_text(app, "--cgroup", options.cgroup, "NAME",
               "record this control group, a path below the cgroup mount"),
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
                              "take a sample every N events instead");
  rate->excludes(period);
  std::vector<Option*> added{
      add_list(app, "-C,--cpu", options.cpus, "0,2-3",
               "record only these CPUs"),
      add_list(app, names.event, options.events, "EVENT[,EVENT…]",
               "events to sample, named as in `perf list` (default: cycles, or "
               "cpu-clock if there are none)"),
      add_flag(app, "--no-children,--no-inherit", options.no_children,
               "only the program or the processes of -p with their threads, "
               "not their children"),
      add_text(app, "--filter", options.filter, "CONDITION",
               "filter for tracepoints, as in perf: 'prev_pid == 3'"),
      rate,
      period,
      add_text(app, "--call-graph", options.call_graph,
               "auto|dwarf[,SIZE]|fp|none",
               "how to find callers: unwind a copy of SIZE bytes of the stack "
               "while recording (auto, dwarf), or follow frame pointers"),
      add_flag(app, "--keep-stacks", options.keep_stacks,
               "keep the copied stacks in the file"),
      add_flag(app, "--no-names", options.no_names,
               "do not keep the names of functions in the file"),
      add_flag(app, "--user", options.user_only, "record no kernel code"),
      add_flag(app, "--off-cpu", options.off_cpu,
               "also record when, where and why threads leave the CPU, as the "
               "event offcpu-time"),
      add_flag(app, "--wakers", options.wakers,
               "like --off-cpu, and who woke the thread: the waker's stack "
               "follows the blocked one, from leaf to root"),
      add_text(app, names.clock, options.clock, "CLOCK",
               "clock for timestamps: monotonic, monotonic_raw or, for "
               "software events, realtime, boottime or tai"),
      add_text(app, "-m,--mmap-pages", options.buffer, "SIZE",
               "buffer size per CPU: 8M, 512K or a number of pages"),
      add_text(app, "--memory", options.memory, "SIZE",
               "memory for what recorded programs map: 64M, 2G. Stacks end in "
               "files that need more than a quarter of it"),
      app.add_callback(
             "-z,--compression-level",
             [&options](const std::string& level) {
               options.compression = level.empty() ? "1" : level;
             },
             "compress the file with zstd at this level, 1 to 22 (without a "
             "level: 1)")
          ->optional_value()
          ->type_name("LEVEL"),
      add_number(app, "--duration", options.duration, "SECONDS", {0, 1e9},
                 "stop after this time; 0: never"),
      add_number(app, "-D,--delay", options.delay, "SECONDS", {0, 1e9},
                 "start sampling after this time"),
  };
  // Users of perf ask for call graphs, which are always recorded here.
  app.add_flag_callback(
         "-g", [] {}, "accepted; always on")
      ->group("");
  added.insert(added.end(), targets.begin(), targets.end());
  for (Option* option : added) option->group("Recording");
  return added;
}

}  // namespace wick

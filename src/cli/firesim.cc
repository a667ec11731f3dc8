// SPDX-License-Identifier: Apache-2.0
// Draws everything that a FireSim run left behind, in place of
// gen-all-flamegraphs-fireperf.sh.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/append.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/options/drawing_options.h"
#include "cli/options/input_options.h"
#include "cli/options/option_kinds.h"
#include "cli/options/run_options.h"
#include "cli/options/setting_names.h"
#include "cli/options/trace_options.h"
#include "cli/progress.h"
#include "format/registry.h"
#include "integration/auto_counter.h"
#include "integration/firesim_results.h"
#include "io/output_file.h"
#include "itrace/trigger/runtime_config.h"
#include "itrace/trigger/trigger.h"
#include "sysroot/sysroot_image.h"
#include "transform/select.h"

namespace wick {
namespace {

// Further counters are in their file only, not in the flame graphs' notes.
constexpr std::size_t kMaxCountersShown = 40;

const OutputFormat* find_output(std::string_view name) {
  for (const OutputFormat* format : output_formats())
    if (format->name == name) return format;
  return nullptr;
}

// A row of the final table.
struct CoreResult {
  std::string name;   // "job0/TRACEFILE-C0"
  std::string error;  // names its file; "" if it was drawn or is empty
  bool drawn = false;
  std::string looked_for;  // " of hart 1": the instructions that it lacks
  std::int64_t cycles = 0, instructions = 0, calls = 0;
  std::string unknown;  // share of unnamed code
  std::vector<std::string> problems;
};

std::int64_t total_of(const Profile& profile, std::string_view event) {
  for (const EventId id : profile.events.ids())
    if (profile.strings[profile.events[id].name] == event)
      return total_weight(profile, id);
  return 0;
}

// The share of unnamed code in the first event.
std::string unknown_share(const Profile& profile) {
  if (profile.samples.empty()) return "";
  double all = 0, unknown = 0;
  const EventId event = profile.samples.front().event;
  for (const Sample& sample : profile.samples) {
    if (sample.event != event || sample.stack == StackId::kRoot) continue;
    const auto name = profile.function(profile.stacks.frame(sample.stack));
    all += static_cast<double>(sample.weight);
    if (name.empty() || name.starts_with("[unknown"))
      unknown += static_cast<double>(sample.weight);
  }
  return all == 0 ? "" : fmt::format("{:.2f} %", 100 * unknown / all);
}

// A core whose trigger never fired has an empty trace, and so have all cores
// but the first with the binary format of FireSim 1.9. Damage looks different.
bool is_empty(InputFile& file) {
  return file.head().empty() && !file.damaged() && file.broken_end().empty();
}

// Follows "no instructions" if the trace has some that were not asked for.
std::string looked_for(const TraceOptions& options, const Diagnostics& found) {
  std::string text;
  if (options.hart >= 0) text = fmt::format(" of hart {}", options.hart);
  if (has_trigger(options.trigger) &&
      found.count(Problem::kCutInstructions) > 0)
    text += " within the trigger";
  return text;
}

bool lost_something(const Diagnostics& diagnostics) {
  return std::ranges::any_of(diagnostics.entries(),
                             [](const Diagnostics::Entry& entry) {
                               return info(entry.problem).is_loss;
                             });
}

struct FireSimCommand {
  ReadOptions read;
  WriteOptions write{.setting_names = setting_name};
  RunOptions run;
  std::vector<std::string> outputs = {"svg", "html", "folded"};
  std::string output;  // before ".svg"; "": the trace's name

  int operator()(const Arguments& arguments) {
    if (arguments.inputs.size() != 1)
      fail_usage("firesim: expected one results directory or one trace, got {}",
                 arguments.inputs.size());
    const FireSimResults results =
        find_firesim_results(arguments.inputs.front(), ".");
    if (!output.empty() && !results.jobs.front().is_one_trace)
      fail_usage("firesim: --output takes one trace, got a directory");
    if (read.trace.elfs.empty())
      for (const FireSimJob& job : results.jobs) say_missing_kernel(job);
    results_path_ = results.path;
    say_origin(results);
    for (const FireSimJob& job : results.jobs) add_work(job);
    draw_all();
    std::cout << table();
    for (const std::string& text : counter_tables_) std::cout << text;
    finish_standard_output(std::cout);
    report_stats(run);
    const bool any_error = std::ranges::any_of(
        cores_, [](const CoreResult& core) { return !core.error.empty(); });
    const bool any_drawn = std::ranges::any_of(cores_, &CoreResult::drawn);
    if (!any_error && !any_drawn) {
      const auto cut = std::ranges::find_if(cores_, [](const CoreResult& core) {
        return !core.looked_for.empty();
      });
      fail("{}: no trace has instructions{}", arguments.inputs.front(),
           cut == cores_.end() ? "" : cut->looked_for);
    }
    return any_error ? 1 : 0;
  }

 private:
  struct Work {
    std::string path;
    bool is_typed = false;  // by the user
    ReadOptions read;
    std::size_t counters = 0;  // in counters_
  };

  // The simulation has applied the configuration's trigger already; it is not
  // applied again.
  void say_missing_kernel(const FireSimJob& job) const {
    if (job.has_kernel) return;
    const std::string missing =
        fmt::format("{}: no kernel (<bootbinary>-dwarf) was found", job.name);
    say(run, job.elfs.empty()
                 ? missing + "; name one with --elf"
                 : fmt::format("{}, only {}; if that boots a kernel, name it "
                               "with --elf",
                               missing, job.elfs.front()));
  }

  void say_origin(const FireSimResults& results) const {
    if (!results.workload.empty())
      say(run,
          fmt::format("workload {} ({})", results.benchmark, results.workload));
    if (results.runtime_config.empty()) return;
    try {
      const RuntimeConfig config =
          read_runtime_config(InputFile::open_regular(results.runtime_config));
      if (config.selector != 0)
        say(run, fmt::format("traced with selector {}, {} to {} ({})",
                             config.selector, config.start, config.end,
                             results.runtime_config));
    } catch (const Error& error) {
      say(run, error.text(setting_name));
    }
  }

  void add_work(const FireSimJob& job) {
    Rows counters;
    for (const std::string& path : job.counters) read_counters(path, counters);
    counters_.push_back(std::move(counters));
    for (const std::string& link : job.links)
      say(run, fmt::format("{}: is a symbolic link, which is not followed in a "
                           "results directory; name the trace it leads to",
                           link));
    std::vector<std::string> traces = job.traces;
    ReadOptions options = read;
    options.trace.only_regular_files = true;
    // Of two files at one address the last wins: the user's.
    options.trace.elfs.insert(options.trace.elfs.begin(), job.elfs.begin(),
                              job.elfs.end());
    if (options.trace.uartlog.empty()) options.trace.uartlog = job.uartlog;
    if (options.trace.sysroot.path.empty())
      options.trace.sysroot = rootfs_of(job);
    if (options.trace.trigger.all_harts)
      std::erase_if(traces, [&](const std::string& path) {
        InputFile file = InputFile::open_regular(path, job.is_one_trace);
        return is_empty(file);
      });
    find_common_windows(traces, "", options);
    for (const std::string& path : job.traces) {
      work_.push_back({.path = path,
                       .is_typed = job.is_one_trace,
                       .read = options,
                       .counters = counters_.size() - 1});
      cores_.push_back(
          {.name = fmt::format("{}/{}", job.name, base_name(path))});
    }
    for (const std::string& elf : job.elfs)
      if (run.verbose) say(run, fmt::format("{}: code of {}", job.name, elf));
  }

  // The disk image of the job's machine; jobs often share one.
  const Sysroot& rootfs_of(const FireSimJob& job) {
    const auto known = rootfs_.find(job.rootfs);
    if (!job.rootfs.empty() && known != rootfs_.end()) return known->second;
    if (job.rootfs.empty() && !job.named_rootfs.empty())
      say(run, fmt::format("{}: the root file system {} was not found, so user "
                           "programs have no names; name it with --sysroot",
                           job.name, job.named_rootfs));
    Sysroot& sysroot = rootfs_[job.rootfs];
    if (job.rootfs.empty()) return sysroot;
    try {
      sysroot = open_sysroot(job.rootfs);
      say(run, fmt::format("user programs from {}", job.rootfs));
    } catch (const Error& error) {
      say(run, fmt::format("user programs have no names: {}",
                           error.text(setting_name)));
    }
    return sysroot;
  }

  using Rows = std::vector<std::pair<std::string, std::string>>;

  void read_counters(const std::string& path, Rows& rows) {
    try {
      InputFile file = InputFile::open_regular(path, /*follow_link=*/false);
      const AutoCounters counters = read_auto_counters(file);
      add_counters(path, counters, rows);
      for (const std::string& line :
           describe(counters.diagnostics, 0, setting_name))
        say(run, fmt::format("{}: {}", path, line));
    } catch (const Error& error) {
      say(run, error.text(setting_name));
    }
  }

  void add_counters(const std::string& path, const AutoCounters& counters,
                    Rows& rows) {
    std::string text = fmt::format(
        "\n{}: {} cycles{}\n", path,
        with_commas(static_cast<std::int64_t>(counters.last_cycle)),
        counters.clock_domain.empty() ? "" : " of " + counters.clock_domain);
    for (const AutoCounters::Counter& counter : counters.counters) {
      const std::string total =
          with_commas(static_cast<std::int64_t>(counter.total));
      const double rate = counters.rate(counter);
      if (rows.size() < kMaxCountersShown)
        rows.emplace_back(
            fmt::format("counter {}", excerpt(counter.label, 200)),
            fmt::format("{}, {:.6f} per cycle", total, rate));
      append(text, "{:>18} {:>12.6f}  {}{}{}\n", total, rate,
             excerpt(counter.label, 200),
             counter.description.empty() ? "" : ": ",
             excerpt(counter.description, 200));
    }
    counter_tables_.push_back(std::move(text));
  }

  void draw_all() {
    const ProgressLine progress(run.quiet);
    const int workers = worker_count(read.threads);
    std::size_t done = 0;
    std::mutex mutex;
    parallel_for(work_.size(), workers, [&](std::size_t i) {
      CoreResult& core = cores_[i];
      try {
        draw(work_[i], core);
      } catch (const Error& error) {
        core.error = error.text(setting_name);
      } catch (const std::exception& error) {
        core.error = fmt::format("{}: {}", work_[i].path, error.what());
      }
      const std::scoped_lock lock(mutex);
      ++done;
      say(run, fmt::format("{} of {}: {}", done, work_.size(),
                           core.error.empty() ? core.name : core.error));
      for (const std::string& line : core.problems)
        say(run, fmt::format("{}: {}", core.name, line));
    });
  }

  void draw(const Work& work, CoreResult& core) const {
    InputFile file = InputFile::open_regular(work.path, work.is_typed);
    if (is_empty(file)) return;
    ReadOptions options = work.read;
    options.threads = 1;  // the cores of the machine share the traces
    options.keep_time = write.fold.flamechart;
    Profile profile = read_profile(file, options);
    core.cycles = total_of(profile, "cycles");
    core.instructions = total_of(profile, "instructions");
    core.calls = total_of(profile, "calls");
    core.problems = describe(profile.diagnostics, 0, setting_name);
    if (profile.samples.empty()) {
      if (lost_something(profile.diagnostics))
        fail("{}: nothing to draw", work.path);
      core.looked_for = looked_for(options.trace, profile.diagnostics);
      return;
    }
    for (const auto& [key, value] : counters_[work.counters])
      profile.set_about(key, value);
    // The viewer shows all events, other formats the first.
    write_if_wanted(profile, "html", work);
    Profile selected = select(std::move(profile), {});
    core.unknown = unknown_share(selected);
    write_if_wanted(selected, "folded", work);
    write_if_wanted(selected, "svg", work);
    core.drawn = true;
  }

  void write_if_wanted(Profile& profile, std::string_view name,
                       const Work& work) const {
    if (std::ranges::find(outputs, name) == outputs.end()) return;
    const OutputFormat* format = find_output(name);
    if (format == nullptr) return;
    const bool is_named = !output.empty();
    OutputFile file(OutputName::chosen(
        fmt::format("{}.{}", is_named ? output : work.path, name),
        is_named ? output : results_path_));
    write_profile(profile, *format, write, file.stream());
    file.commit();
  }

  std::string table() const {
    std::string out =
        fmt::format("{:>16} {:>16} {:>6} {:>14} {:>9}  {}\n", "cycles",
                    "instructions", "IPC", "calls", "unknown", "trace");
    for (const CoreResult& core : cores_) {
      if (!core.drawn) {
        out += fmt::format(
            "{:>16} {:>16} {:>6} {:>14} {:>9}  {}\n", "-", "-", "-", "-", "-",
            core.error.empty() ? fmt::format("{}: no instructions{}", core.name,
                                             core.looked_for)
                               : core.error);
        continue;
      }
      out += fmt::format(
          "{:>16} {:>16} {:>6} {:>14} {:>9}  {}\n", with_commas(core.cycles),
          core.instructions == 0 ? "-" : with_commas(core.instructions),
          core.cycles == 0 || core.instructions == 0
              ? "-"
              : fmt::format("{:.3f}", static_cast<double>(core.instructions) /
                                          static_cast<double>(core.cycles)),
          core.calls == 0 ? "-" : with_commas(core.calls),
          core.unknown.empty() ? "-" : core.unknown, core.name);
    }
    return out;
  }

  std::string results_path_;
  std::map<std::string, Sysroot> rootfs_;  // by path
  std::vector<Work> work_;
  std::vector<CoreResult> cores_;
  std::vector<Rows> counters_;
  std::vector<std::string> counter_tables_;
};

std::function<int(const Arguments&)> declare_firesim(OptionSet& app) {
  auto command = std::make_shared<FireSimCommand>();
  app.add_list_callback(
         "--to",
         [&outputs = command->outputs](const std::vector<std::string>& names) {
           for (const std::string& name : names)
             check_choice("--to", "svg|html|folded", name);
           outputs = names;
         },
         "write this for each trace; may be given several times")
      ->one_value_each()
      ->type_name("svg|html|folded")
      ->default_str("all three")
      ->group("Output");
  add_text(app, "-o,--output", command->output, "NAME",
           "with one trace: write NAME.svg, NAME.html and NAME.folded instead "
           "of next to the trace")
      ->group("Output");
  add_number(app, "-n,--nthreads", command->read.threads, "N", {0, 1024},
             "traces to read at once; 0: one per core")
      ->group("Output");
  add_trace_options(app, command->read.trace);
  add_debug_file_options(app, command->read.symbols);
  add_drawing_options(app, command->write.draw, command->write.fold);
  add_run_options(app, command->run);
  return runner(command);
}

}  // namespace

extern const Command firesim_command = {
    .name = "firesim",
    .usage = "[OPTION…] RESULTS-DIRECTORY",
    .summary = "draw flame graphs of all traces of a FireSim run",
    .examples =
        "wick firesim results-workload/2026-01-02--10-11-12-linux-uniform\n"
        "wick firesim DIR --sysroot br-base.img    # another root file system\n"
        "wick firesim DIR --elf vmlinux --to svg   # another kernel\n",
    .declare = declare_firesim,
};

}  // namespace wick

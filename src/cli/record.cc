// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "base/append.h"
#include "base/error.h"
#include "base/shell.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/options/option_kinds.h"
#include "cli/options/run_options.h"
#include "cli/options/setting_names.h"
#include "cli/process.h"
#include "cli/record_arguments.h"
#include "cli/recording_run.h"

namespace wick {
namespace {

struct RecordCommand {
  RecordArguments recording;
  RunOptions run;
  std::string output = "wick.data";
  const Option* output_option = nullptr;
  bool exit_status = false;

  int operator()(const Arguments& arguments) {
    std::vector<std::string> program = arguments.program;
    // `wick record ./prog` means `wick record -- ./prog`.
    program.insert(program.begin(), arguments.inputs.begin(),
                   arguments.inputs.end());
    if (program.empty() && !recording.has_target())
      fail_usage(
          "record: nothing to record; give -- PROGRAM, -p, -t, -a or --cgroup");
    if (output == "-")
      fail_usage(
          "record: -o -: a recording goes to a file, since standard output is "
          "the program's");
    RecordOptions options = recording.resolved(program);
    options.output = output_option->count() > 0 ? OutputName::typed(output)
                                                : OutputName::chosen(output);
    options.command_line = arguments.words;
    options.command_line.insert(options.command_line.begin(), "wick");
    const RecordResult result = run_recording(options, run);
    say_ends(result, run);
    check_written(result, "-o");
    say_losses(result, options);
    say(run, fmt::format("wrote {}: {} {}, {}; see {}", output,
                         counted(result.samples, "sample"),
                         recorded_text(result), size_text(result.bytes),
                         suggested_command("wick report", output)));
    if (result.samples == 0 && result.lost == 0 && !options.off_cpu &&
        !explains_missing_time(result.diagnostics))
      say(run, why_no_samples(options));
    report_stats(run);
    return exit_status && !program.empty() ? shell_status(result.program_status)
                                           : 0;
  }

 private:
  void say_losses(const RecordResult& result,
                  const RecordOptions& options) const {
    const auto number = [](std::uint64_t n) {
      return with_commas(static_cast<std::int64_t>(n));
    };
    if (result.lost > 0)
      say(run, fmt::format("{} {} lost; {}", counted(result.lost, "record"),
                           result.lost == 1 ? "was" : "were",
                           fewer_losses(result, options)));
    for (const std::string& line :
         describe(result.diagnostics, 0, setting_name))
      say(run, line);
    if (result.throttles > 0)
      say(run, fmt::format("the kernel paused sampling {} times; {} avoids "
                           "that",
                           number(result.throttles), fewer_samples(options)));
  }

  // Only what is not done already.
  static std::string fewer_losses(const RecordResult& result,
                                  const RecordOptions& options) {
    constexpr std::uint32_t kSmallStack = 4096;
    std::vector<std::string> helps;
    if (!options.off_cpu) helps.emplace_back(fewer_samples(options));
    helps.emplace_back("a larger -m");
    if ((options.off_cpu ? result.switch_stack_size : result.stack_size) >
        kSmallStack)
      helps.emplace_back("smaller stacks (--call-graph dwarf,4096)");
    std::string text = joined(helps, " or ") +
                       (helps.size() > 1 ? " lose fewer" : " loses fewer");
    if (options.off_cpu) text += "; times are exact only if none are lost";
    return text;
  }

  static std::string_view fewer_samples(const RecordOptions& options) {
    return options.period > 0 ? "a larger -c" : "a lower -F";
  }

  static bool explains_missing_time(const Diagnostics& diagnostics) {
    return std::ranges::any_of(diagnostics.entries(),
                               [](const Diagnostics::Entry& entry) {
                                 return info(entry.problem).is_time;
                               });
  }

  static std::string why_no_samples(const RecordOptions& options) {
    if (options.delay > 0 && !options.program.empty())
      return "no samples were taken: after --delay, the program had ended or "
             "only waited";
    if (!options.events.empty() && options.cpus.empty())
      return "no samples were taken: the event did not occur, or too rarely";
    return no_samples_text(!options.cpus.empty(),
                           options.period > 0 ? "lower -c" : "higher -F");
  }
};

std::function<int(const Arguments&)> declare_record(OptionSet& app) {
  auto command = std::make_shared<RecordCommand>();
  command->output_option = add_text(app, "-o,--output", command->output, "FILE",
                                    "write the recording to this file")
                               ->group("Recording");
  add_record_options(app, command->recording, {});
  add_flag(app, "--exit-status", command->exit_status,
           "exit with the program's status")
      ->group("Recording");
  add_run_options(app, command->run);
  return runner(command);
}

}  // namespace

extern const Command record_command = {
    .name = "record",
    .usage = "[OPTION…] [-- PROGRAM [ARGUMENT…]]",
    .summary = "record a profile into a perf.data file",
    .examples =
        "wick record -- ./prog arguments\n"
        "wick record -p 1234 --duration 10   # a process for ten seconds\n"
        "wick record -a -- sleep 5           # the machine for 5 seconds\n"
        "wick record -e page-faults -c 1 -- ./prog\n",
    .declare = declare_record,
    .takes_program = true,
};

}  // namespace wick

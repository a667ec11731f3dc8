// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/process.h"
#include "cli/record_arguments.h"
#include "cli/setting_names.h"

namespace wick {
namespace {

struct RecordCommand {
  RecordArguments recording;
  RunOptions run;
  std::string output = "wick.data";
  bool exit_status = false;

  int operator()(const Arguments& arguments) {
    std::vector<std::string> program = arguments.program;
    // `wick record ./prog` is meant as `wick record -- ./prog`.
    program.insert(program.begin(), arguments.inputs.begin(),
                   arguments.inputs.end());
    if (program.empty() && !recording.has_target())
      fail_usage(
          "record: nothing to record is named: -- PROGRAM, -p, -t, -a or "
          "--cgroup");
    if (output == "-")
      fail_usage(
          "record: -o -: a recording goes to a file, since standard output is "
          "the program's");
    RecordOptions options = recording.resolved(program);
    options.output = output;
    options.command_line = arguments.words;
    options.command_line.insert(options.command_line.begin(), "wick");
    const RecordResult result = run_recording(options, run);
    const bool failed = !program.empty() && result.program_status != 0;
    say_ends(result, run);
    check_written(result, "-o");
    if (result.lost > 0)
      say(run, fmt::format(
                   "{} lost; {}",
                   result.lost == 1
                       ? "1 record was"
                       : with_commas(static_cast<std::int64_t>(result.lost)) +
                             " records were",
                   options.off_cpu
                       ? "smaller stacks (--call-graph dwarf,4096) or a "
                         "larger -m lose fewer, and times are exact only "
                         "where none are"
                       : "a lower -F, a larger -m or smaller stacks lose "
                         "fewer"));
    for (const std::string& line :
         describe(result.diagnostics, 0, setting_name))
      say(run, line);
    if (result.throttles > 0)
      say(run, fmt::format(
                   "the kernel paused sampling {} times; a lower -F avoids "
                   "that",
                   with_commas(static_cast<std::int64_t>(result.throttles))));
    say(run,
        fmt::format("wrote {}: {} {}, {}; see `wick report {}`", output,
                    counted(result.samples, "sample"), recorded_text(result),
                    size_text(result.bytes), output));
    if (result.samples == 0 && result.lost == 0 && !options.off_cpu)
      say(run, options.delay > 0 && !program.empty()
                   ? "no samples were taken: the program had ended or only "
                     "waited after --delay"
               : !options.cpus.empty()
                   ? "no samples were taken: nothing of what was recorded ran "
                     "on the CPUs of -C, or only briefly"
               : options.events.empty()
                   ? "no samples were taken: what was recorded ran too briefly "
                     "or only waited (--off-cpu shows that); a higher -F gives "
                     "more"
                   : "no samples were taken: what was recorded did not meet "
                     "the event, or too rarely");
    report_stats(run);
    if (!exit_status || !failed) return 0;
    return shell_status(result.program_status);
  }
};

std::function<int(const Arguments&)> declare_record(OptionSet& app) {
  auto command = std::make_shared<RecordCommand>();
  add_text(app, "-o,--output", command->output, "FILE",
           "write the recording to this file")
      ->group("Recording");
  add_record_options(app, command->recording, {});
  add_flag(app, "--exit-status", command->exit_status,
           "end with the program's status")
      ->group("Recording");
  add_run_options(app, command->run);
  return
      [command](const Arguments& arguments) { return (*command)(arguments); };
}

}  // namespace

extern const Command record_command = {
    .name = "record",
    .usage = "[OPTION…] [-- PROGRAM [ARGUMENT…]]",
    .summary = "record a profile; the file is a valid perf.data",
    .examples =
        "wick record -- ./prog arguments\n"
        "wick record -p 1234 --duration 10   # what is this process doing?\n"
        "wick record -a -- sleep 5           # the machine, while that runs\n"
        "wick record -e page-faults -c 1 -- ./prog\n",
    .declare = declare_record,
    .takes_program = true,
};

}  // namespace wick

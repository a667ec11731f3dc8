// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <memory>

#include "cli/options/command.h"
#include "cli/options/input_options.h"
#include "cli/output.h"
#include "cli/read_inputs.h"

namespace wick {
namespace {

struct FoldCommand {
  InputOptions input;
  OutputOptions output;
  WriteOptions write;
  RunOptions run;

  int operator()(const Arguments& arguments) {
    input.paths = arguments.inputs;
    // Here, .txt means folded stacks rather than a report.
    if (output.format.empty() && output.path.ends_with(".txt"))
      output.format = "folded";
    const OutputFormat& format = chosen_format(output, "folded");
    input.read.keep_time = !format.only_sums || input.select.time.has_value();
    input.read.trace.lines_before_times =
        format.no_times && !input.select.time.has_value();
    input.read.thread_ids = needs_thread_ids(input, format, write.fold);
    input.read.inferno_counts =
        !input.compat_given || input.read.compat == Compat::kInferno;
    Profile profile = read_inputs(input, run);
    write_output(profile, format, write, output.name(), run);
    report_losses(profile, run);
    report_stats(run);
    return 0;
  }
};

std::function<int(const Arguments&)> declare_fold(OptionSet& app) {
  auto command = std::make_shared<FoldCommand>();
  add_output_options(app, command->output);
  FoldOptions& fold = command->write.fold;
  app.add_flag_callback(
         "--pid",
         [&fold] {
           if (fold.root == ThreadRoot::kComm) fold.root = ThreadRoot::kCommPid;
         },
         "add the process id to the root frame: make-12")
      ->group("Names");
  app.add_flag_callback(
         "--tid", [&fold] { fold.root = ThreadRoot::kCommPidTid; },
         "add process and thread id to the root frame: make-12/34")
      ->group("Names");
  add_reading_options(app, fold, command->input, command->run);
  return runner(command);
}

}  // namespace

extern const Command fold_command = {
    .name = "fold",
    .usage = "[OPTION…] [INPUT…]",
    .summary = "print folded stacks of any profiler's output",
    .examples =
        "wick fold perf.data > out.folded # or: perf script | wick fold\n"
        "wick fold --all perf.txt.gz      # mark kernel and jit frames\n"
        "wick fold --pid a.txt b.txt      # merge inputs, split by process\n"
        "wick fold --time 1.5..2 perf.txt # only half a second\n",
    .declare = declare_fold,
};

}  // namespace wick

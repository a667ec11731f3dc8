// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/options.h"

namespace wick {
namespace {

struct FlameCommand {
  InputOptions input;
  OutputOptions output;
  WriteOptions write;
  RunOptions run;

  int operator()(const Arguments& arguments) {
    input.paths = arguments.inputs;
    const OutputFormat& format = chosen_format(output, "svg");
    input.read.keep_time = !format.only_sums || write.fold.flamechart ||
                           input.select.time.has_value();
    write.draw.inferno_difference = input.read.compat == Compat::kInferno;
    const bool on_terminal = output.path.empty() && output.format.empty() &&
                             ::isatty(STDOUT_FILENO) != 0;
    const std::string path = on_terminal ? "flame.svg" : output.path;
    const Profile profile = read_inputs(input);
    if (profile.samples.empty()) fail("there are no samples to draw");
    write_output(profile, format, write, path);
    report_losses(profile, run);
    if (on_terminal) say(run, "wrote flame.svg; open it in a browser");
    report_stats(run);
    return 0;
  }
};

std::function<int(const Arguments&)> declare(CLI::App& app) {
  auto command = std::make_shared<FlameCommand>();
  add_output_options(app, command->output);
  add_drawing_options(app, command->write.draw, command->write.fold);
  add_naming_options(app, command->write.fold, command->input.read);
  add_input_options(app, command->input);
  add_run_options(app, command->run);
  return
      [command](const Arguments& arguments) { return (*command)(arguments); };
}

}  // namespace

extern const Command flame_command = {
    .name = "flame",
    .usage = "[OPTION…] [INPUT…]",
    .summary = "draw a flame graph",
    .examples =
        "perf script | wick flame > out.svg\n"
        "wick flame -o out.svg perf.txt.gz\n",
    .declare = declare,
};

}  // namespace wick

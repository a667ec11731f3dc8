// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/flame_run.h"
#include "profile/format.h"

namespace wick {
namespace {

struct FlameCommand : FlameRun {
  std::vector<std::string> perf_data;
  std::vector<Option*> only_for_recording;

  int operator()(const Arguments& arguments) {
    perf.program = arguments.program;
    typed = arguments.words;
    input.paths = arguments.inputs;
    std::ranges::copy(perf_data, std::back_inserter(input.paths));
    write.draw.as_inferno = input.read.compat == Compat::kInferno;
    const OutputFormat& format = chosen_format(output, "svg");
    if (!perf.program.empty() || recording.has_target()) return record(format);
    for (const Option* option : only_for_recording)
      if (option->count() > 0)
        fail_usage(
            "flame: {} is for recording, and nothing to record is named: "
            "-- PROGRAM, -p or -a",
            option->name());

    keep_events_for(format);
    input.read.keep_time = !format.only_sums || write.fold.flamechart ||
                           input.select.time.has_value() || !baseline.empty();
    input.read.trace.lines_before_times =
        format.no_times && !input.select.time.has_value();
    const bool named_here = output.path.empty() && format.name == "svg" &&
                            (::isatty(STDOUT_FILENO) != 0 || open);
    draw(read_inputs(input, run), format,
         named_here ? "flame.svg" : output.path, named_here);
    return 0;
  }
};

std::function<int(const Arguments&)> declare_flame(OptionSet& app) {
  auto command = std::make_shared<FlameCommand>();
  add_picture_options(app, *command);
  command->only_for_recording = add_record_options(app, *command, {});
  add_texts(app, "--perfdata", command->perf_data, "FILE",
            "draw this perf.data (the same as INPUT)")
      ->group("Recording");
  add_drawing_options(app, command->write.draw, command->write.fold);
  add_reading_options(app, command->write.fold, command->input, command->run);
  return runner(command);
}

}  // namespace

extern const Command flame_command = {
    .name = "flame",
    .usage = "[OPTION…] [INPUT…]\n       wick flame [OPTION…] -- PROGRAM…",
    .summary = "draw a flame graph, of an input or of a program that it runs",
    .examples =
        "wick flame -- ./program --its-options  # record it, draw flame.svg\n"
        "wick flame -p 1234 --duration 10       # ten seconds of a process\n"
        "wick flame -c 'record -e cycles:u -g' -- ./program\n"
        "wick flame perf.data > out.svg         # draw what perf recorded\n"
        "wick flame --flamechart perf.txt.gz -o out.svg\n"
        "wick flame perf.data -o out.html       # the viewer, in one page\n"
        "wick flame --diff old.data new.data -o change.html\n",
    .declare = declare_flame,
    .takes_program = true,
};

}  // namespace wick

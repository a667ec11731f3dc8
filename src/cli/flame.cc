// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "base/error.h"
#include "cli/flame_run.h"
#include "cli/options/command.h"
#include "cli/options/drawing_options.h"
#include "cli/options/option_kinds.h"
#include "cli/read_inputs.h"
#include "profile/format.h"

namespace wick {
namespace {

struct FlameCommand : FlameRun {
  std::vector<std::string> perf_data;
  std::vector<Option*> only_for_recording;

  int operator()(const Arguments& arguments) {
    perf.program = arguments.program;
    typed = arguments.words;
    InputOptions& input = picture.input;
    input.paths = arguments.inputs;
    std::ranges::copy(perf_data, std::back_inserter(input.paths));
    picture.write.draw.as_inferno = input.read.compat == Compat::kInferno;
    const OutputFormat& format = chosen_format(picture.output, "svg");
    if (!perf.program.empty() || recording.has_target()) return record(format);
    for (const Option* option : only_for_recording)
      if (option->count() > 0)
        fail_usage("flame: {} needs something to record: -- PROGRAM, -p or -a",
                   option->name());
    draw_inputs(format);
    return 0;
  }

 private:
  void draw_inputs(const OutputFormat& format) {
    picture.prepare_for(format);
    InputOptions& input = picture.input;
    const bool has_range = input.select.time.has_value();
    input.read.keep_time = !format.only_sums || picture.write.fold.flamechart ||
                           has_range || !picture.baseline.empty();
    input.read.trace.lines_before_times = format.no_times && !has_range;
    input.read.thread_ids = needs_thread_ids(input, format, picture.write.fold);
    const bool named_here = picture.output.path.empty() &&
                            format.name == "svg" &&
                            (::isatty(STDOUT_FILENO) != 0 || picture.open);
    picture.draw(
        read_inputs(input, picture.run), format,
        named_here ? OutputName::chosen("flame.svg") : picture.output.name(),
        named_here);
  }
};

std::function<int(const Arguments&)> declare_flame(OptionSet& app) {
  auto command = std::make_shared<FlameCommand>();
  add_picture_options(app, command->picture);
  command->only_for_recording = add_record_options(app, *command, {});
  add_texts(app, "--perfdata", command->perf_data, "FILE",
            "draw this perf.data (same as INPUT)")
      ->group("Recording");
  Picture& picture = command->picture;
  add_drawing_options(app, picture.write.draw, picture.write.fold);
  add_reading_options(app, picture.write.fold, picture.input, picture.run);
  return runner(command);
}

}  // namespace

extern const Command flame_command = {
    .name = "flame",
    .usage = "[OPTION…] [INPUT…]\n       wick flame [OPTION…] -- PROGRAM…",
    .summary = "draw a flame graph of a profile, or of a program that it runs",
    .examples =
        "wick flame -- ./program --its-options  # record it, draw flame.svg\n"
        "wick flame -p 1234 --duration 10       # a process for ten seconds\n"
        "wick flame -c 'record -e cycles:u -g' -- ./program\n"
        "wick flame perf.data > out.svg         # draw perf's recording\n"
        "wick flame --flamechart perf.txt.gz -o out.svg\n"
        "wick flame perf.data -o out.html       # interactive viewer\n"
        "wick flame --diff old.data new.data -o change.html\n",
    .declare = declare_flame,
    .takes_program = true,
};

}  // namespace wick

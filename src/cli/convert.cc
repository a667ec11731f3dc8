// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "cli/options/command.h"
#include "cli/options/drawing_options.h"
#include "cli/options/input_options.h"
#include "cli/output.h"
#include "cli/read_inputs.h"

namespace wick {
namespace {

// Whether a format that has only stacks and weights would lose something.
bool has_more_than_sums(const Profile& profile) {
  return profile.has_time || profile.threads.size() > 1 ||
         std::ranges::count(profile.samples, 0, &Sample::weight) > 0 ||
         std::ranges::any_of(profile.frames.ids(), [&](FrameId id) {
           const Frame& frame = profile.frames[id];
           return frame.address != 0 || frame.line != 0;
         });
}

struct ConvertCommand {
  InputOptions input;
  OutputOptions output;
  WriteOptions write;
  RunOptions run;

  int operator()(const Arguments& arguments) {
    input.paths = arguments.inputs;
    const OutputFormat& format = chosen_format(output, "");
    input.read.keep_time = !format.only_sums || write.fold.flamechart ||
                           input.select.time.has_value();
    input.read.trace.lines_before_times =
        format.no_times && !input.select.time.has_value();
    input.read.thread_ids = needs_thread_ids(input, format, write.fold);
    // Formats with single samples have those of every event.
    if (!format.only_sums) {
      input.read.keep_addresses = true;
      if (input.select.event.empty()) input.select.event = "*";
    }
    write.draw.as_inferno = input.read.compat == Compat::kInferno;
    Profile profile = read_inputs(input, run);
    write_output(profile, format, write, output.name(), run);
    report_losses(profile, run);
    if (!format.lacks.empty() && has_more_than_sums(profile))
      say(run,
          fmt::format("{} cannot represent {}", format.name, format.lacks));
    report_stats(run);
    return 0;
  }
};

std::function<int(const Arguments&)> declare_convert(OptionSet& app) {
  auto command = std::make_shared<ConvertCommand>();
  add_output_options(app, command->output);
  add_naming_options(app, command->write.fold, command->input.read);
  add_input_options(app, command->input);
  add_drawing_options(app, command->write.draw, command->write.fold);
  add_run_options(app, command->run);
  return runner(command);
}

}  // namespace

extern const Command convert_command = {
    .name = "convert",
    .usage = "[OPTION…] [INPUT…] -o OUTPUT",
    .summary = "convert between formats",
    .examples =
        "wick convert perf.txt.gz -o out.pb.gz          # for pprof\n"
        "wick convert perf.txt -o out.speedscope.json   # speedscope\n"
        "wick convert a.folded b.folded -o both.wick    # merged\n"
        "perf script | wick convert --to folded         # in a pipe\n",
    .declare = declare_convert,
};

}  // namespace wick

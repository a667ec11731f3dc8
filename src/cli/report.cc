// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/options/command.h"
#include "cli/options/input_options.h"
#include "cli/options/option_kinds.h"
#include "cli/options/setting_names.h"
#include "cli/options/table_options.h"
#include "cli/output.h"
#include "cli/read_inputs.h"
#include "format/registry.h"
#include "profile/output_fit.h"
#include "render/text_report.h"

namespace wick {
namespace {

struct ReportCommand {
  InputOptions input;
  std::string output;
  WriteOptions write{.setting_names = setting_name};
  std::optional<Scale> scale;
  RunOptions run;

  int operator()(const Arguments& arguments) {
    input.paths = arguments.inputs;
    const OutputFormat* format = output_format_for(output);
    if (format != nullptr && format->name != "text")
      fail_usage("report: -o {}: a report is text; 'wick {}' writes {}", output,
                 format->name == "svg" ? "flame" : "convert", format->name);
    // The report lists all events of the inputs, selected or not.
    const Selection selection = std::exchange(input.select, {.event = "*"});
    input.read.trace.lines_before_times = !selection.time.has_value();
    Profile profile = read_inputs(input, run);
    const std::vector<EventTotal> events = event_totals(profile);
    if (is_difference(profile))
      set_scale(profile, chosen_scale(scale, input.read.compat));
    profile = select(std::move(profile), selection);
    fit_to_output(profile, cost_of_fold(write.fold));
    write_text(text_report(profile, write, events), output);
    report_stats(run);
    return 0;
  }
};

std::function<int(const Arguments&)> declare_report(OptionSet& app) {
  auto command = std::make_shared<ReportCommand>();
  ReportOptions& report = command->write.report;
  add_table_options(app, report, "function|line|module|file|thread", "self");
  add_text(app, "--callers", report.callers, "FUNCTION",
           "callers of this function (or of matching ones, if none has exactly "
           "this name)")
      ->group("Tables");
  add_text(app, "--callees", report.callees, "FUNCTION",
           "functions that this one calls")
      ->group("Tables");
  add_scale_option(app, command->scale);
  add_text(app, "-o,--output", command->output, "FILE", "write to this file")
      ->group("Output");
  add_reading_options(app, command->write.fold, command->input, command->run);
  return runner(command);
}

}  // namespace

extern const Command report_command = {
    .name = "report",
    .usage = "[OPTION…] [INPUT…]",
    .summary = "print the hottest functions, their callers and what was lost",
    .examples =
        "wick report perf.data\n"
        "wick report --sort total --top 10 perf.txt\n"
        "wick report --by line perf.txt       # or module, file, thread\n"
        "wick report --callers malloc --callees malloc perf.txt\n",
    .declare = declare_report,
};

}  // namespace wick

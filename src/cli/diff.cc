// SPDX-License-Identifier: Apache-2.0
#include "transform/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/tell.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/options/drawing_options.h"
#include "cli/options/input_options.h"
#include "cli/options/option_kinds.h"
#include "cli/options/setting_names.h"
#include "cli/options/table_options.h"
#include "cli/output.h"
#include "cli/read_inputs.h"
#include "profile/output_fit.h"
#include "render/text_report.h"
#include "transform/diff_gate.h"
#include "transform/empty_selection.h"
#include "transform/event_choice.h"
#include "transform/name_gaps.h"

namespace wick {
namespace {

// The exit status if a gate of --fail-on failed.
constexpr int kGateFailed = 3;

// The numbers of --runs and --work, "A,B".
DiffWork parse_work(const std::string& option, const std::string& text,
                    std::string_view unit) {
  std::string_view after = text;
  const std::string before(take_until(after, ','));
  if (before.size() == text.size())
    fail_usage("{}: expected two numbers A,B, before and after, got '{}'",
               option, excerpt(text));
  constexpr Limits kSome{1e-9, 1e18};
  return {.before = checked_number(option, before, kSome, false),
          .after = checked_number(option, std::string(after), kSome, false),
          .unit = unit};
}

// The name of the first event, the same for all types of core.
std::string event_of(const Profile& profile) {
  if (profile.events.empty()) return "";
  return std::string(
      event_group(profile.strings[profile.events[EventId{0}].name]));
}

struct DiffCommand {
  InputOptions input;
  OutputOptions output;
  WriteOptions write{.setting_names = setting_name};
  RunOptions run;
  bool strip_hex = false;
  std::optional<Scale> scale;
  double confidence = 95;
  std::vector<std::string> fail_on;
  std::optional<DiffWork> work;

  int operator()(const Arguments& arguments) {
    std::vector<Gate> gates;
    gates.reserve(fail_on.size());
    for (const std::string& text : fail_on)
      gates.push_back(
          in_context("--fail-on", [&] { return parse_gate(text); }));
    const OutputFormat& format = chosen_format(output, "text");
    const bool as_table = format.name == "text";
    // The confidence in a change follows from the number of samples, and
    // inferno truncates decimals line by line.
    input.read.keep_time = as_table || !format.only_sums || !gates.empty() ||
                           input.select.time ||
                           input.read.compat == Compat::kInferno;
    write.draw.as_inferno = input.read.compat == Compat::kInferno;

    const Scale shown = chosen_scale(scale, input.read.compat);
    CompareOptions compare_options{.confidence = confidence,
                                   .fold = write.fold,
                                   .work = work,
                                   .scale = shown};
    Profile difference = read_both(arguments.inputs, compare_options);
    int status = 0;
    if (as_table || !gates.empty()) {
      fit_to_output(difference, cost_of_fold(compare_options.fold));
      const DiffTable table = compare(difference, compare_options);
      if (as_table) write_text(diff_report(table, write, names_), output.path);
      status = judge(gates, table);
    }
    if (!as_table) {
      // Pictures scale by themselves, without rounding; but as inferno does.
      const bool is_picture = format.name == "svg" || format.name == "html";
      if (scale == Scale::kNormalised && (!is_picture || write.draw.as_inferno))
        normalize(difference, input.read.compat);
      set_scale(difference, shown);
      if (format.name == "html")
        set_files(difference, names_.before, names_.after);
      write.side_samples = compare_options.samples;
      write_output(difference, format, write, output.name(), run);
    }
    report_losses(difference, run);
    report_gap();
    report_stats(run);
    return status;
  }

 private:
  Profile read_one(const std::string& path) {
    Profile profile = read_input(path, input);
    return in_context(path, [&] {
      profile = select(std::move(profile), input.select);
      if (profile.samples.empty())
        fail("{}", why_empty(profile.diagnostics, "samples"));
      return std::move(profile);
    });
  }

  // BEFORE and AFTER, or one input with both.
  Profile read_both(const std::vector<std::string>& paths,
                    CompareOptions& options) {
    if (paths.empty() || paths.size() > 2)
      fail_usage("diff: expected two inputs, BEFORE AFTER, got {}",
                 paths.size());
    if (std::ranges::count(paths, "-") > 1)
      fail_usage("diff: only one of the inputs can be standard input");
    Profile before = read_one(paths.front());
    if (paths.size() == 1) {
      if (!is_difference(before))
        fail_usage(
            "{}: is a single profile; expected two, BEFORE AFTER, or one with "
            "two weights per stack",
            paths.front());
      return before;
    }
    Profile after = read_one(paths.back());
    names_ = {paths.front(), paths.back()};
    gaps_ = find_name_gaps(before, after, write.fold);
    if (event_of(before) != event_of(after))
      say(run, fmt::format("the inputs count different events: '{}' before, "
                           "'{}' after",
                           event_of(before), event_of(after)));
    options.samples = {.before = effective_samples(before, EventRole::kPlain),
                       .after = effective_samples(after, EventRole::kPlain)};
    return join_as_difference(
        std::move(before), std::move(after),
        {.strip_hex = strip_hex, .compat = input.read.compat});
  }

  std::string gap_text(const NameGap& gap) const {
    const std::string& lacking = gap.is_before ? names_.before : names_.after;
    const std::string& other = gap.is_before ? names_.after : names_.before;
    const std::string& module = gap.module;
    const std::string why = gap.why.empty() ? "" : "; " + gap.why;
    switch (gap.kind) {
      case NameGapKind::kOneSide:
        return fmt::format(
            "functions of {} cannot be compared: {} has no names for them "
            "({:.0f}% of its samples), {} has{}",
            module, lacking, 100 * gap.share, other, why);
      case NameGapKind::kBuilds:
        return fmt::format(
            "functions of {} cannot be compared: they have addresses instead "
            "of names, and {} and {} do not have the same build of it{}",
            module, names_.before, names_.after, why);
      case NameGapKind::kFileOfOneSide:
        return fmt::format(
            "functions of {} cannot be compared: they have addresses instead "
            "of names, and {} does not have that file{}",
            module, other, why);
      case NameGapKind::kNoNames:
        return fmt::format(
            "{} has no names for functions of {} ({:.0f}% of "
            "its samples){}",
            lacking, module, 100 * gap.share, why);
    }
    return "";
  }

  std::string gap_text(const GapInTheWay& way) const {
    const NameGap& gap = way.gap;
    if (gap.kind != NameGapKind::kNoNames) return gap_text(gap);
    if (way.one_sided.empty())
      return "no function matches, but " + gap_text(gap);
    return fmt::format("{} is in {} only, but {}", excerpt(way.one_sided, 200),
                       gap.is_before ? names_.after : names_.before,
                       gap_text(gap));
  }

  // What the table cannot compare.
  void report_gap() const {
    if (!gaps_.empty() && gaps_.front().kind <= NameGapKind::kBuilds)
      say(run, gap_text(gaps_.front()));
  }

  static std::string doubt(const GateResult& result) {
    const std::size_t more = result.doubts.size() - 1;
    return result.doubts.front() +
           (more == 0 ? "" : fmt::format(" ({} more like it)", more));
  }

  int judge(const std::vector<Gate>& gates, const DiffTable& table) {
    int status = 0;
    for (const Gate& gate : gates) {
      if (const auto way = gap_in_the_way(gate, table, gaps_))
        fail(way->gap.helps, "--fail-on '{}': {}", gate.text, gap_text(*way));
      const GateResult result =
          in_context(fmt::format("--fail-on '{}'", gate.text),
                     [&] { return check(gate, table); });
      if (!result.matched)
        say(run, fmt::format("--fail-on '{}': no function matches", gate.text));
      for (const std::string& reason : result.reasons) {
        tell("wick: {}\n", reason);
        status = kGateFailed;
      }
      if (!result.doubts.empty()) say(run, doubt(result));
    }
    return status;
  }

  DiffNames names_;
  std::vector<NameGap> gaps_;
};

std::function<int(const Arguments&)> declare_diff(OptionSet& app) {
  auto command = std::make_shared<DiffCommand>();
  add_input_options(app, command->input);
  // As in flamegraph.pl and inferno, -n is --normalize here.
  app.remove_option(app.get_option("--nthreads"));
  add_number(app, "--nthreads", command->input.read.threads, "N", {0, 1024},
             "threads to read with; 0: one per core")
      ->group("Input");
  add_scale_option(app, command->scale);
  app.add_flag_callback(
      "-n,--normalize", [command] { command->scale = Scale::kNormalised; },
      "same as --scale normalised");
  add_flag(app, "-s,--strip-hex", command->strip_hex,
           "replace hexadecimal numbers in names by 0x..., so that addresses "
           "match");
  add_texts(app, "--fail-on", command->fail_on, "REGEX>LIMIT",
            "exit with status 3 if the total share or cost of a matching "
            "function significantly grew by more than +N% (percentage points), "
            "+Nms (time per run; ns, us, ms or s) or Nx (ratio of costs); "
            "'total' is the whole program, REGEX<LIMIT a decrease");
  const auto add_work = [&](const char* name, const char* unit,
                            const char* description) {
    return app
        .add_callback(
            name,
            [command, name, unit](const std::string& text) {
              command->work = parse_work(name, text, unit);
            },
            description)
        ->type_name("A,B")
        ->take_last();
  };
  Option* runs = add_work("--runs", "run",
                          "BEFORE contains A runs, AFTER contains B [1,1]; "
                          "tables show the cost of one");
  Option* operations = add_work(
      "--work", "operation",
      "BEFORE did A operations, AFTER did B; tables show the cost of one");
  runs->excludes(operations);
  add_number(app, "--confidence", command->confidence, "PERCENT",
             {0.01, 99.9999},
             "confidence level of --fail-on and of ± in tables");
  add_output_options(app, command->output);
  add_table_options(app, command->write.report, "function|stack", "total");
  add_drawing_options(app, command->write.draw, command->write.fold);
  add_naming_options(app, command->write.fold, command->input.read);
  add_run_options(app, command->run);
  return runner(command);
}

}  // namespace

extern const Command diff_command = {
    .name = "diff",
    .usage = "[OPTION…] BEFORE AFTER",
    .summary = "compare two profiles, with confidence intervals",
    .examples =
        "wick diff before.folded after.folded\n"
        "wick diff --by stack --top 50 before.folded after.folded\n"
        "wick diff -n -o change.svg before.txt after.txt  # red: grew\n"
        "wick diff --to folded before.txt after.txt | flamegraph.pl\n"
        "wick diff --fail-on '^parse>+2%' old.txt new.txt # for CI: exits 3\n"
        "wick diff --runs 5,5 --fail-on 'total>1.05x' old.data new.data\n",
    .declare = declare_diff,
};

}  // namespace wick

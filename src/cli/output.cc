// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/tell.h"
#include "base/text.h"
#include "cli/options/option_kinds.h"
#include "cli/options/setting_names.h"
#include "cli/progress.h"
#include "format/registry.h"
#include "io/output_file.h"
#include "render/text_table.h"
#include "transform/unnamed_modules.h"

namespace wick {
namespace {

bool is_standard_output(const std::string& path) {
  return path.empty() || path == "-";
}

bool has_extension(const std::string& path) {
  const std::string_view name = base_name(path);
  return name.find('.', 1) != name.npos;
}

// Says so if --total has no effect.
void check_total(const Profile& profile, double total, const RunOptions& run) {
  double sum = 0;
  for (const Sample& sample : profile.samples) {
    const Event& event = profile.events[sample.event];
    if (event.role != EventRole::kBefore)
      sum += static_cast<double>(sample.weight) /
             static_cast<double>(power_of_ten(event.decimals));
  }
  if (total > 0 && total < sum)
    say(run, fmt::format("--total {} is ignored: it is less than the sum of "
                         "the weights, {}",
                         total, sum));
}

// The modules that most samples without a name are in, and what would help.
void tell_why_no_names(const Profile& profile) {
  constexpr std::size_t kMost = 3;
  std::vector<UnnamedModule> modules = unnamed_modules(profile);
  std::erase_if(modules, [](const UnnamedModule& m) { return m.weight == 0; });
  for (const UnnamedModule& unnamed :
       std::span(modules).first(std::min(modules.size(), kMost))) {
    const Module& module = profile.modules[unnamed.id];
    tell("wick:   {}: {}\n", printable(profile.strings[module.path]),
         with_hint(profile.strings[module.no_names], module.no_names_helps,
                   setting_name));
  }
  if (modules.size() > kMost)
    tell("wick:   {} more\n", counted(modules.size() - kMost, "module"));
}

}  // namespace

void add_output_options(OptionSet& app, OutputOptions& output) {
  add_text(app, "-o,--output", output.path, "FILE",
           "write to this file, in the format of its extension; - is standard "
           "output")
      ->group("Output");
  add_choice(app, "--to", output.format, "OUTPUT-FORMAT",
             "write this format (see 'wick formats')")
      ->group("Output");
}

const OutputFormat& chosen_format(const OutputOptions& output,
                                  std::string_view fallback) {
  const bool to_stdout = is_standard_output(output.path);
  const OutputFormat* format = nullptr;
  if (!output.format.empty())
    format = &output_format(output.format);
  else if (!to_stdout)
    format = output_format_for(output.path);
  if (format == nullptr && !fallback.empty() &&
      (to_stdout || !has_extension(output.path)))
    format = &output_format(fallback);
  if (format == nullptr && to_stdout)
    fail_usage(
        "give an output file with -o, or a format with --to (see 'wick "
        "formats')");
  if (format == nullptr)
    fail_usage(
        "{}: unknown extension; give a format with --to (see 'wick formats')",
        output.path);
  if (format->binary && to_stdout && ::isatty(STDOUT_FILENO) != 0)
    fail_usage("{} is not written to a terminal; give a file with -o",
               format->name);
  return *format;
}

void write_output(Profile& profile, const OutputFormat& format,
                  WriteOptions options, const OutputName& name,
                  const RunOptions& run) {
  options.setting_names = setting_name;
  if (format.name == "svg") check_total(profile, options.draw.total, run);
  const Timer timer("write");
  const bool to_terminal =
      is_standard_output(name.path) && ::isatty(STDOUT_FILENO) != 0;
  const ProgressLine progress(run.quiet || to_terminal);
  if (!is_standard_output(name.path)) {
    OutputFile file(name);
    write_profile(profile, format, options, file.stream());
    file.commit();
    return;
  }
  write_profile(profile, format, options, std::cout);
  finish_standard_output(std::cout);
}

void write_text(std::string_view text, const std::string& path) {
  if (!is_standard_output(path)) {
    OutputFile file(OutputName::typed(path));
    file.stream() << text;
    file.commit();
    return;
  }
  std::cout << text;
  finish_standard_output(std::cout);
}

void check_writable(const OutputName& name) { OutputFile{name}; }

void report_losses(const Profile& profile, const RunOptions& run) {
  if (run.quiet) return;
  for (const About& about : profile.about)
    if (profile.strings[about.key] == kAboutTraceSummary)
      tell("wick: {}\n", printable(profile.strings[about.value]));
  std::int64_t whole = profile.diagnostics.missing_weight();
  for (const Sample& sample : profile.samples)
    whole = saturating_add(whole, sample.weight);
  for (const Diagnostics::Entry& entry : profile.diagnostics.entries()) {
    tell("wick: {}\n", describe(entry, whole, setting_name));
    if (entry.problem == Problem::kNoSymbol) tell_why_no_names(profile);
  }
}

}  // namespace wick

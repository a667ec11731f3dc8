// SPDX-License-Identifier: Apache-2.0
// The parts of a run that the commands share: reading, writing, reporting.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/output_file.h"
#include "base/parallel.h"
#include "base/tell.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/setting_names.h"
#include "cli/trace_options.h"
#include "format/registry.h"
#include "perf/file/data_file.h"
#include "profile/diff.h"
#include "render/text_table.h"

namespace wick {
namespace {

bool something_is_piped_in() {
  struct stat info {};
  return ::fstat(STDIN_FILENO, &info) == 0 &&
         (S_ISFIFO(info.st_mode) || S_ISREG(info.st_mode) ||
          S_ISSOCK(info.st_mode));
}

bool is_standard_output(const std::string& path) {
  return path.empty() || path == "-";
}

}  // namespace

std::vector<std::string> default_inputs() {
  if (something_is_piped_in()) return {"-"};
  for (const char* name : {"wick.data", "perf.data"})
    if (::access(name, F_OK) == 0) return {name};
  fail_usage(
      "nothing to read: no input was named, nothing is piped in, and there is "
      "no wick.data or perf.data here");
}

Profile read_input(const std::string& path, const InputOptions& input) {
  // perf record --threads writes a folder.
  InputFile file = InputFile::open(
      PerfData::is_perf_directory(path) ? path + "/data" : path);
  if (input.format.empty() && file.head().starts_with("\x7f"
                                                      "ELF"))
    fail(
        "{}: is a program or a library, not a profile; `wick flame -- {}` "
        "records it",
        file.name(), path.find('/') == path.npos ? "./" + path : path);
  Profile profile = read_profile(file, input.read, input.format);
  if (profile.samples.empty() &&
      profile.diagnostics.count(Problem::kBadLine) > 0)
    fail("{}: no line could be read{}; see `wick formats`", file.name(),
         input.format.empty() ? "" : " as " + input.format);
  return profile;
}

namespace {

bool is_trace(const std::string& path, const InputOptions& input) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  const InputFormat* format = input.format.empty()
                                  ? detect(InputFile::open(path).head())
                                  : &input_format(input.format);
  return format != nullptr && format->trace != nullptr;
}

// One thread for each. Of several errors the first input's is said.
std::vector<Profile> read_at_once(std::span<const std::string> paths,
                                  const InputOptions& input) {
  std::vector<Profile> profiles(paths.size());
  std::vector<std::exception_ptr> errors(paths.size());
  parallel_for(paths.size(), static_cast<int>(paths.size()),
               [&](std::size_t i) {
                 try {
                   profiles[i] = read_input(paths[i], input);
                 } catch (...) {
                   errors[i] = std::current_exception();
                 }
               });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return profiles;
}

}  // namespace

Profile read_inputs(const InputOptions& given, const RunOptions& run) {
  const ProgressLine progress(run.quiet);
  const std::vector<std::string> paths =
      given.paths.empty() ? default_inputs() : given.paths;
  InputOptions input = given;
  find_common_windows(paths, "", input.read.trace);
  // Seconds count from the first sample of all inputs.
  if (paths.size() == 1 || (input.select.time && input.select.time->absolute))
    input.read.wanted_time = input.select.time;
  // A trace is long and takes one thread, so harts that have files of their own
  // are read side by side; other readers use several threads themselves.
  const bool all_traces = std::ranges::all_of(
      paths, [&](const std::string& path) { return is_trace(path, input); });
  const std::size_t at_once =
      all_traces ? static_cast<std::size_t>(worker_count(input.read.threads))
                 : 1;
  Profile profile;
  for (std::size_t i = 0; i < paths.size();) {
    const auto some =
        std::span(paths).subspan(i, std::min(at_once, paths.size() - i));
    for (Profile& other : read_at_once(some, input)) {
      if (i == 0) {
        profile = std::move(other);
      } else {
        if (is_difference(profile) != is_difference(other))
          fail_usage("{}: a difference and a profile cannot be merged",
                     paths[i]);
        merge(profile, other);
      }
      ++i;
    }
  }
  return select(std::move(profile), input.select);
}

const OutputFormat& chosen_format(const OutputOptions& output,
                                  std::string_view fallback) {
  const bool to_stdout = is_standard_output(output.path);
  const OutputFormat* format = nullptr;
  if (!output.format.empty())
    format = &output_format(output.format);
  else if (!to_stdout)
    format = output_format_for(output.path);
  const std::string_view name = base_name(output.path);
  const bool has_extension = !to_stdout && name.find('.', 1) != name.npos;
  if (format == nullptr && !fallback.empty() && !has_extension)
    format = &output_format(fallback);
  if (format == nullptr && to_stdout)
    fail_usage(
        "the output is missing: name a file with -o, or a format with --to "
        "(see `wick formats`)");
  if (format == nullptr)
    fail_usage(
        "{}: no format is known for this extension; name one with --to (see "
        "`wick formats`)",
        output.path);
  if (format->binary && to_stdout && ::isatty(STDOUT_FILENO) != 0)
    fail_usage("{} is not made for a terminal; name a file with -o, or pipe it",
               format->name);
  return *format;
}

// Says that --total has no effect, if so.
void check_total(const Profile& profile, double total, const RunOptions& run) {
  double sum = 0;
  for (const Sample& sample : profile.samples) {
    const Event& event = profile.events[sample.event];
    if (event.role != EventRole::kBefore)
      sum += static_cast<double>(sample.weight) /
             static_cast<double>(power_of_ten(event.decimals));
  }
  if (total > 0 && total < sum)
    say(run, fmt::format("--total {} is less than the sum of the weights, {}, "
                         "which is taken for the whole",
                         total, sum));
}

void write_output(const Profile& profile, const OutputFormat& format,
                  WriteOptions options, const std::string& path,
                  const RunOptions& run) {
  options.setting_names = setting_name;
  if (format.name == "svg") check_total(profile, options.draw.total, run);
  const Timer timer("write");
  const bool to_terminal =
      is_standard_output(path) && ::isatty(STDOUT_FILENO) != 0;
  const ProgressLine progress(run.quiet || to_terminal);
  if (!is_standard_output(path)) {
    OutputFile file(path);
    format.write(profile, options, file.stream());
    file.commit();
    return;
  }
  format.write(profile, options, std::cout);
  finish_standard_output(std::cout);
}

void write_text(std::string_view text, const std::string& path) {
  if (!is_standard_output(path)) {
    OutputFile file(path);
    file.stream() << text;
    file.commit();
    return;
  }
  std::cout << text;
  finish_standard_output(std::cout);
}

void check_writable(const std::string& path) { OutputFile{path}; }

void report_losses(const Profile& profile, const RunOptions& run) {
  if (run.quiet) return;
  for (const About& about : profile.about)
    if (profile.strings[about.key] == kAboutTrace)
      tell("wick: {}\n", printable(profile.strings[about.value]));
  std::int64_t whole = profile.diagnostics.missing_weight();
  for (const Sample& sample : profile.samples)
    whole = saturating_add(whole, sample.weight);
  for (const std::string& line :
       describe(profile.diagnostics, whole, setting_name))
    tell("wick: {}\n", line);
}

void report_stats(const RunOptions& run) {
  if (run.stats) tell("{}", metrics_report());
}

void say(const RunOptions& run, std::string_view message) {
  if (!run.quiet) tell("wick: {}\n", message);
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "cli/read_inputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include "base/append.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/shell.h"
#include "cli/missing_hart.h"
#include "cli/options/trace_options.h"
#include "cli/progress.h"
#include "cli/server_input.h"
#include "format/registry.h"
#include "perf/file/data_file.h"
#include "transform/empty_selection.h"
#include "transform/merge.h"

namespace wick {
namespace {

bool something_is_piped_in() {
  struct stat info {};
  return ::fstat(STDIN_FILENO, &info) == 0 &&
         (S_ISFIFO(info.st_mode) || S_ISREG(info.st_mode) ||
          S_ISSOCK(info.st_mode));
}

// Whether the content looks like the format that the user named, if any. A
// reader of text that is none of its own finds no stacks and may note nothing.
bool looks_as_given(InputFile& file, const std::string& format) {
  return format.empty() || input_format(format).sniff(file.head());
}

// A FIFO of that name was not left by a recording.
bool is_file_or_folder(const char* path) {
  struct stat info {};
  return ::stat(path, &info) == 0 &&
         (S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
}

bool is_trace(const std::string& path, const InputOptions& input) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  const InputFormat* format = input.format.empty()
                                  ? detect(InputFile::open(path).head())
                                  : &input_format(input.format);
  return format != nullptr && format->trace != nullptr;
}

// Reads one input per thread. If several fail, the first input's error counts.
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

bool are_traces(const std::vector<std::string>& paths,
                const InputOptions& input) {
  return std::ranges::all_of(
      paths, [&](const std::string& path) { return is_trace(path, input); });
}

// Files of several harts are one machine, whose threads they share.
std::optional<Profile> read_as_machine(const std::vector<std::string>& paths,
                                       const InputOptions& input) {
  const TraceOptions& trace = input.read.trace;
  if (paths.size() < 2 || trace.hart >= 0 ||
      trace.attribution == Attribution::kFirePerf)
    return {};
  std::vector<InputFile> files;
  for (const std::string& path : paths) files.push_back(InputFile::open(path));
  return read_machine(files, input.read, input.format);
}

// Reads them one after the other, except traces: a trace is long and takes one
// thread, while other readers use several threads themselves.
Profile read_apart(const std::vector<std::string>& paths,
                   const InputOptions& input, bool all_are_traces) {
  const std::size_t at_once =
      all_are_traces
          ? static_cast<std::size_t>(worker_count(input.read.threads))
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
          fail_usage("{}: cannot merge a difference with a profile", paths[i]);
        merge(profile, other);
      }
      ++i;
    }
  }
  return profile;
}

InputFile open_input(const std::string& path, const InputOptions& input) {
  if (is_server_input(path)) return open_server_input(path, input.token_file);
  // perf record --threads writes a directory.
  return PerfData::is_perf_directory(path)
             ? InputFile::open_regular(path + "/data")
             : InputFile::open(path);
}

// "a.data", "standard input, b.data".
std::string names_of(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths)
    names.push_back(path == "-" ? "standard input" : path);
  return joined(names, ", ");
}

}  // namespace

std::vector<std::string> default_inputs() {
  if (something_is_piped_in()) return {"-"};
  for (const char* name : {"wick.data", "perf.data"})
    if (is_file_or_folder(name)) return {name};
  fail_usage(
      "nothing to read: give an input or pipe one in; there is no wick.data or "
      "perf.data in this directory");
}

bool needs_thread_ids(const InputOptions& input, const OutputFormat& format,
                      const FoldOptions& fold) {
  return !format.only_sums || input.select.pid || input.select.tid ||
         (fold.root != ThreadRoot::kNone && fold.root != ThreadRoot::kComm);
}

Profile read_input(const std::string& path, const InputOptions& input) {
  InputFile file = open_input(path, input);
  constexpr std::string_view kElfMagic = "\177ELF";
  if (input.format.empty() && file.head().starts_with(kElfMagic))
    fail("{}: is a program or a library, not a profile; {} records it",
         file.name(),
         suggested_command("wick flame --",
                           path.find('/') == path.npos ? "./" + path : path));
  const bool looks_right = looks_as_given(file, input.format);
  Profile profile = read_profile(file, input.read, input.format);
  if (profile.samples.empty() && !looks_right)
    fail("{}: has no stacks in the format {}; see 'wick formats'", file.name(),
         input.format);
  if (profile.samples.empty() &&
      profile.diagnostics.count(Problem::kBadLine) > 0)
    fail("{}: no line could be read{}; see 'wick formats'", file.name(),
         input.format.empty() ? "" : " as " + input.format);
  return profile;
}

Profile read_inputs(const InputOptions& given, const RunOptions& run) {
  const ProgressLine progress(run.quiet);
  const std::vector<std::string> paths =
      given.paths.empty() ? default_inputs() : given.paths;
  if (std::ranges::count(paths, "-") > 1)
    fail_usage(
        "- is given more than once, but standard input can be read once");
  InputOptions input = given;
  find_common_windows(paths, "", input.read);
  // Relative times count from the first sample of all inputs.
  if (paths.size() == 1 || (input.select.time && input.select.time->absolute))
    input.read.wanted_time = input.select.time;
  const bool all_are_traces = are_traces(paths, input);
  std::optional<Profile> machine;
  if (all_are_traces) machine = read_as_machine(paths, input);
  Profile profile =
      machine ? std::move(*machine) : read_apart(paths, input, all_are_traces);
  profile = select(std::move(profile), input.select);
  if (profile.samples.empty()) {
    std::string why = all_are_traces
                          ? why_no_hart(paths, input.format, input.read.trace)
                          : "";
    if (why.empty()) why = why_empty(profile.diagnostics, "samples");
    fail("{}: {}", names_of(paths), why);
  }
  return profile;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "cli/perf_driver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "base/shell.h"
#include "base/tell.h"
#include "base/text.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/temporary_folder.h"
#include "format/registry.h"
#include "io/output_file.h"
#include "io/output_name.h"
#include "io/output_place.h"
#include "io/program_path.h"

namespace wick {
namespace {

using Words = std::vector<std::string>;

void add_words(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string found_perf() {
  const char* named = std::getenv("PERF");
  const std::string name = named != nullptr && *named != 0 ? named : "perf";
  if (const auto path = find_program(name)) return *path;
  fail(
      "{}: cannot find this program; install perf (Debian: apt install "
      "linux-perf, Ubuntu: apt install linux-tools-generic) or set PERF to its "
      "path",
      name);
}

Words perf_words(const PerfOptions& perf) {
  Words words;
  if (perf.sudo) {
    if (!find_program("sudo"))
      fail(
          "--root: cannot find sudo; install it, or run wick as root without "
          "--root");
    words.emplace_back("sudo");
    add_words(words, split_words(*perf.sudo));
  }
  words.push_back(found_perf());
  return words;
}

// Takes "-o FILE" and its spellings out of `words`.
std::optional<std::string> take_output(Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i];
    const bool two_words = word == "-o" || word == "--output";
    std::string value;
    if (two_words && i + 1 < words.size())
      value = words[i + 1];
    else if (word.starts_with("--output="))
      value = word.substr(9);
    else if (word.starts_with("-o") && word.size() > 2)
      value = word.substr(2);
    else
      continue;
    words.erase(
        words.begin() + static_cast<std::ptrdiff_t>(i),
        words.begin() + static_cast<std::ptrdiff_t>(i + (two_words ? 2 : 1)));
    return value;
  }
  return {};
}

void announce(const PerfOptions& perf, const Words& words) {
  if (perf.verbose) tell("wick: running {}\n", shell_command(words));
}

// The options of ours that perf has, too.
Words option_words(const RecordArguments& recording) {
  const std::string call_graph =
      recording.call_graph == "auto" ? "fp" : recording.call_graph;
  Words words{"--call-graph", call_graph};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) add_words(words, {option, value});
  };
  constexpr double kMostEvents = 2147483647;
  if (recording.period > 0)
    add("-c", fmt::format("{:.0f}", std::min(recording.period, kMostEvents)));
  else
    add("-F", std::to_string(recording.frequency));
  if (const int level = recording.compression_level(); level > 0)
    words.push_back(fmt::format("--compression-level={}", level));
  add("-e", recording.events);
  add("--filter", recording.filter);
  add("-m", recording.buffer);
  if (recording.clock != RecordArguments().clock) add("-k", recording.clock);
  if (recording.delay > 0)
    add("-D", fmt::format("{:.0f}", recording.delay * 1000));
  if (recording.user_only) words.emplace_back("--all-user");
  return words;
}

// "record" and its options, without the output and the target. -q keeps perf
// quiet if all goes well, since the program shares its standard error.
struct RecordWords {
  Words words;
  std::optional<std::string> output;
};
RecordWords record_words(const PerfOptions& perf,
                         const RecordArguments& recording) {
  RecordWords record;
  if (perf.command.empty()) {
    record.words = {"record", "-q"};
    add_words(record.words, option_words(recording));
    return record;
  }
  record.words = split_words(perf.command);
  if (record.words.empty() || record.words.front() != "record")
    fail_usage("-c '{}': perf's arguments must begin with 'record'",
               excerpt(perf.command));
  record.output = take_output(record.words);
  record.words.insert(record.words.begin() + 1, "-q");
  return record;
}

// What perf records: processes, threads, the machine, a program.
Words target_words(const PerfOptions& perf, const RecordArguments& recording) {
  Words words;
  if (recording.system_wide) words.emplace_back("-a");
  if (!recording.pids.empty()) add_words(words, {"-p", recording.pids});
  if (!recording.tids.empty()) add_words(words, {"-t", recording.tids});
  if (!perf.program.empty()) {
    words.emplace_back("--");
    if (!perf.folder.empty()) add_words(words, {"env", "-C", perf.folder});
    add_words(words, perf.program);
  } else if (recording.duration > 0) {
    // perf records while its own program runs.
    add_words(words, {"--", "sleep", fmt::format("{}", recording.duration)});
  }
  return words;
}

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The first lines that perf printed, without blank ones and "Error:".
std::string essence(std::string_view said) {
  std::string text;
  int lines = 0;
  while (!said.empty() && lines < 3) {
    const std::string_view line = trim(take_line(said));
    if (line.empty() || line == "Error:" || line.starts_with("[ perf"))
      continue;
    if (!text.empty()) text += "; ";
    text += excerpt(line, 200);
    ++lines;
  }
  return text.empty() ? "it printed no message" : text;
}

[[noreturn]] void fail_recording(const std::string& said, int status,
                                 bool system_wide) {
  const bool forbidden = said.find("perf_event_paranoid") != said.npos ||
                         said.find("Permission denied") != said.npos ||
                         said.find("Operation not permitted") != said.npos ||
                         said.find("No permission") != said.npos;
  if (forbidden) {
    const std::string level =
        first_line_of("/proc/sys/kernel/perf_event_paranoid");
    fail(
        "the kernel does not allow recording (kernel.perf_event_paranoid is "
        "{}); allow it with 'sudo sysctl kernel.perf_event_paranoid={}', or "
        "run perf as root with --root",
        level.empty() ? "unreadable, perhaps in a container" : level,
        system_wide ? -1 : 1);
  }
  fail("perf record failed ({}): {}", describe_status(status), essence(said));
}

// The file that perf writes. perf follows every link, so it writes in a
// directory that nobody else can enter: beside the file that is to be kept, or
// in TMPDIR if others could lead perf elsewhere on the way there.
class PerfFile {
 public:
  // `kept` is where the user wants it; "": nowhere.
  explicit PerfFile(std::string kept) : kept_(std::move(kept)) {
    std::string beside;
    if (!kept_.empty())
      in_context(kept_, [&] {
        place_.emplace(OutputName::typed(kept_));
        beside = place_->safe_folder_path().value_or("");
      });
    folder_.emplace(beside);
  }

  std::string folder() const { return folder_->path(); }
  std::string path() const { return folder() + "/perf.data"; }
  const std::string& kept() const { return kept_; }

  // Moves it to where it is kept, if at all. Returns where it is then.
  std::string keep() {
    if (!place_) return path();
    return in_context(kept_, [&] {
      if (place_->has_older()) place_->keep_older();
      if (place_->is_special()) return copy();
      if (::renameat(AT_FDCWD, path().c_str(), place_->folder(),
                     place_->name().c_str()) == 0)
        return kept_;
      if (errno != EXDEV) place_->fail_to_write();
      return copy();
    });
  }

 private:
  std::string copy() {
    std::ifstream from(path(), std::ios::binary);
    OutputFile to(OutputName::typed(kept_), S_IRUSR | S_IWUSR);
    to.stream() << from.rdbuf();
    to.commit();
    return path();
  }

  std::string kept_;
  std::optional<OutputPlace> place_;
  std::optional<TemporaryFolder> folder_;
};

bool has_content(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && info.st_size > 0;
}

// Lets perf record `true` in the same way. A program shares its standard error
// with perf, so perf's errors must be seen before the program starts.
void try_recording(const Words& words, const std::string& folder,
                   bool system_wide) {
  Words trial = words;
  add_words(trial, {"-o", folder + "/trial.data", "--", "true"});
  const UniqueFd said = make_memory_file();
  const UniqueFd ignored = make_memory_file();
  Child child(trial, {.out = ignored.get(), .err = said.get()});
  Interruption::watch(child.pid());
  const int status = child.wait();
  Interruption::watch(-1);
  Interruption::check();
  if (status != 0 && !Interruption::once())
    fail_recording(content_of(said.get()), status, system_wide);
}

// A perf that ran as root leaves a file that only root can read.
void take_ownership(const PerfOptions& perf, const std::string& path) {
  if (!perf.sudo || ::access(path.c_str(), R_OK) == 0) return;
  Words words{"sudo"};
  add_words(words, split_words(*perf.sudo));
  add_words(words, {"chown", fmt::format("{}", ::getuid()), path});
  announce(perf, words);
  Child(words, {}).wait();
}

}  // namespace

bool PerfOptions::is_wanted() const {
  return !command.empty() || sudo || std::getenv("PERF") != nullptr;
}

void check_options_of_perf(std::span<Option* const> options,
                           const PerfOptions& perf, std::string_view command) {
  constexpr std::string_view kAlways[] = {
      "--pid",      "--tid",  "--all-cpus", "--cmd",
      "--duration", "--keep", "--root",     "--exit-status"};
  // With --cpu, perf records all processes on these CPUs.
  constexpr std::string_view kNever[] = {"--off-cpu",     "--wakers", "--wall",
                                         "--keep-stacks", "--cgroup", "--cpu",
                                         "--no-children"};
  for (const Option* option : options) {
    const std::string name = option->name();
    if (option->count() == 0 ||
        std::ranges::find(kAlways, name) != std::end(kAlways))
      continue;
    if (std::ranges::find(kNever, name) != std::end(kNever))
      fail_usage("{}: {} does not work with a real perf, which {} asks for",
                 command, name,
                 !perf.command.empty() ? "-c"
                 : perf.sudo           ? "--root"
                                       : "PERF in the environment");
    if (!perf.command.empty())
      fail_usage("{}: pass perf's equivalent of {} in its arguments (-c)",
                 command, name);
  }
}

PerfRun record_with_perf(const PerfOptions& perf,
                         const RecordArguments& recording,
                         const ReadOptions& read) {
  const bool has_program = !perf.program.empty();
  const RecordWords record = record_words(perf, recording);
  Words words = perf_words(perf);
  add_words(words, record.words);
  if (has_program) check_program(perf.program);
  parse_ids(recording.pids, "-p", "process");
  PerfFile data(!perf.data_path.empty() ? perf.data_path
                                        : record.output.value_or(""));
  const Interruption interruption;
  if (has_program) try_recording(words, data.folder(), recording.system_wide);
  add_words(words, {"-o", data.path()});
  add_words(words, target_words(perf, recording));
  announce(perf, words);
  const UniqueFd said = make_memory_file();
  PerfRun run;
  {
    Child child(words, has_program ? ChildIo{} : ChildIo{.err = said.get()});
    Interruption::watch(child.pid());
    const int status = child.wait();
    Interruption::watch(-1);
    Interruption::check();
    run.interrupted = Interruption::once();
    // perf ends as its program does: with its status or by the same signal.
    run.program_status = has_program ? status : 0;
    if (!has_content(data.path()))
      fail_recording(content_of(said.get()), status, recording.system_wide);
  }
  Interruption::forget();
  const ProgressLine progress(perf.quiet);
  take_ownership(perf, data.path());
  InputFile file = InputFile::open(data.keep());
  run.profile = read_profile(file, read, "perf-data");
  return run;
}

}  // namespace wick

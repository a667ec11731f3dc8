// SPDX-License-Identifier: Apache-2.0
#include "cli/perf_driver.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/tell.h"
#include "base/text.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "format/registry.h"

namespace wick {
namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

std::string found_perf() {
  const char* named = std::getenv("PERF");
  const std::string name = named != nullptr && *named != 0 ? named : "perf";
  if (const auto path = find_program(name)) return *path;
  fail(
      "{}: there is no such program, and wick needs perf to record; install it "
      "(Debian: apt install linux-perf, Ubuntu: apt install "
      "linux-tools-generic)"
      " or name one with PERF=",
      name);
}

Words perf_words(const PerfOptions& perf) {
  Words words;
  if (perf.sudo) {
    if (!find_program("sudo"))
      fail(
          "--root: there is no sudo; install it, or run wick as root without "
          "--root");
    words.emplace_back("sudo");
    append(words, split_words(*perf.sudo));
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
  if (perf.verbose) tell("wick: running {}\n", fmt::join(words, " "));
}

// "record" and its options, without the output and what is to be recorded.
// perf says nothing on a good run (-q), since the program shares its standard
// error.
struct RecordWords {
  Words words;
  std::optional<std::string> output;
};
RecordWords record_words(const PerfOptions& perf) {
  RecordWords record;
  if (!perf.command.empty()) {
    record.words = split_words(perf.command);
    if (record.words.empty() || record.words.front() != "record")
      fail_usage("-c '{}': perf's words must begin with 'record'",
                 excerpt(perf.command));
    record.output = take_output(record.words);
    record.words.insert(record.words.begin() + 1, "-q");
    return record;
  }
  record.words = {"record", "-q", "--call-graph", perf.call_graph};
  if (perf.count > 0)
    append(record.words, {"-c", std::to_string(perf.count)});
  else
    append(record.words, {"-F", std::to_string(perf.frequency)});
  if (perf.compression > 0)
    record.words.push_back(
        fmt::format("--compression-level={}", perf.compression));
  append(record.words, perf.more);
  return record;
}

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// What perf printed, short: without blank lines and "Error:".
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
  return text.empty() ? "it said nothing" : text;
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
        "{}); allow it with `sudo sysctl kernel.perf_event_paranoid={}`, or "
        "run "
        "perf as root with --root",
        level.empty() ? "not to be read, perhaps in a container" : level,
        system_wide ? -1 : 1);
  }
  fail("perf record failed ({}): {}", describe_status(status), essence(said));
}

bool has_content(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && info.st_size > 0;
}

void check_targets(const PerfOptions& perf) {
  if (!perf.program.empty()) check_program(perf.program);
  std::string_view rest = perf.pids;
  while (!rest.empty()) {
    const std::string_view text = take_until(rest, ',');
    const auto pid = to_number<pid_t>(text);
    if (!pid || *pid <= 0)
      fail_usage("-p: '{}' is not a process id", excerpt(text));
    if (::kill(*pid, 0) != 0 && errno == ESRCH)
      fail("there is no process {}", *pid);
  }
}

// Asks perf to record `true` in the same way. A program shares its standard
// error with perf, so perf's complaints must be heard before it is started.
void try_recording(const Words& words, const std::string& folder,
                   bool system_wide) {
  Words trial = words;
  append(trial, {"-o", folder + "/trial.data", "--", "true"});
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

// perf that ran as root leaves a file that only root can read.
void take_over(const PerfOptions& perf, const std::string& path) {
  if (!perf.sudo || ::access(path.c_str(), R_OK) == 0) return;
  Words words{"sudo"};
  append(words, split_words(*perf.sudo));
  append(words, {"chown", fmt::format("{}", ::getuid()), path});
  announce(perf, words);
  Child(words, {}).wait();
}

}  // namespace

PerfRun record_with_perf(const PerfOptions& perf, const ReadOptions& read) {
  const RecordWords record = record_words(perf);
  Words words = perf_words(perf);
  append(words, record.words);
  check_targets(perf);
  const TemporaryFolder folder;
  const Interruption interruption;
  const bool has_program = !perf.program.empty();
  if (has_program) try_recording(words, folder.path(), perf.system_wide);

  const std::string data = !perf.data_path.empty() ? perf.data_path
                           : record.output         ? *record.output
                                           : folder.path() + "/perf.data";
  append(words, {"-o", data});
  // As perf does it; done here so that an older file is never taken for the
  // result.
  std::error_code no_older_file;
  std::filesystem::rename(data, data + ".old", no_older_file);
  if (perf.system_wide) words.emplace_back("-a");
  if (!perf.pids.empty()) append(words, {"-p", perf.pids});
  if (!perf.tids.empty()) append(words, {"-t", perf.tids});
  if (has_program) {
    words.emplace_back("--");
    append(words, perf.program);
  } else if (perf.duration > 0) {
    // perf records for as long as its own program runs.
    append(words, {"--", "sleep", fmt::format("{}", perf.duration)});
  }
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
    // perf ends as its program does: with its status, or by the signal that
    // ended it.
    run.program_status = has_program ? status : 0;
    if (!has_content(data))
      fail_recording(content_of(said.get()), status, perf.system_wide);
  }
  Interruption::forget();
  const ProgressLine progress(perf.quiet);
  take_over(perf, data);
  InputFile file = InputFile::open(data);
  run.profile = read_profile(file, read, "perf-data");
  return run;
}

}  // namespace wick

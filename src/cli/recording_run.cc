// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_run.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include "base/append.h"
#include "base/error.h"
#include "base/tell.h"
#include "base/text.h"
#include "cli/process.h"

namespace wick {
namespace {

// A line on the terminal that is overwritten in place.
class RecordLine {
 public:
  explicit RecordLine(bool quiet)
      : shown_(!quiet && ::isatty(STDERR_FILENO) != 0) {}
  ~RecordLine() {
    if (written_) write_to_stderr("\r\033[K");
  }
  RecordLine(const RecordLine&) = delete;
  RecordLine& operator=(const RecordLine&) = delete;

  void operator()(const RecordProgress& now) {
    if (!shown_) return;
    written_ = true;
    write_to_stderr(
        fmt::format("\r\033[Krecording {:.1f} s, {} samples, {} lost, {}",
                    static_cast<double>(now.elapsed.count()) / 1000,
                    with_commas(static_cast<std::int64_t>(now.samples)),
                    with_commas(static_cast<std::int64_t>(now.lost)),
                    size_text(now.bytes)));
    std::fflush(stderr);
  }

 private:
  bool shown_;
  bool written_ = false;
};

// Signals belong to the whole process, so the request they stop by does too.
EndRequests interruptions;
std::atomic<StopRequest*> stopped_by_signal = nullptr;

extern "C" void on_interrupt(int signal) {
  const int count = interruptions.add();
  if (count > 1) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  if (StopRequest* request = stopped_by_signal) request->stop();
}

// Ctrl-C and `timeout` end the recording; what was recorded is kept.
class StopBySignal {
 public:
  StopBySignal() {
    interruptions.clear();
    stopped_by_signal = &request_;
    // write() then reports a file that may not grow further.
    ::signal(SIGXFSZ, SIG_IGN);
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      ::sigaction(kSignals[i], &action, &before_[i]);
      // A signal that wick was started to ignore (nohup) stays ignored.
      if (before_[i].sa_handler == SIG_IGN && kSignals[i] != SIGINT)
        ::sigaction(kSignals[i], &before_[i], nullptr);
    }
  }
  ~StopBySignal() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i)
      ::sigaction(kSignals[i], &before_[i], nullptr);
    stopped_by_signal = nullptr;
  }
  StopBySignal(const StopBySignal&) = delete;
  StopBySignal& operator=(const StopBySignal&) = delete;

  const StopRequest& request() const { return request_; }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  StopRequest request_;
  struct sigaction before_[std::size(kSignals)];
};

}  // namespace

RecordResult run_recording(const RecordOptions& options,
                           const RunOptions& run) {
  const StopBySignal signals;
  RecordResult result = [&] {
    RecordLine line(run.quiet);
    return record(options, signals.request(),
                  [&](const RecordProgress& now) { line(now); });
  }();
  for (const std::string& limitation : result.limitations) say(run, limitation);
  return result;
}

void check_written(const RecordResult& result, std::string_view elsewhere) {
  if (result.write_error.empty()) return;
  fail(
      "{}; the recording ended after {:.1f} s: {} can be read, {} and "
      "everything after that are missing; free some space, or write elsewhere "
      "with {}",
      result.write_error, static_cast<double>(result.elapsed.count()) / 1000,
      counted(result.samples - result.unwritten, "sample"),
      counted(result.unwritten, "sample"), elsewhere);
}

void say_ends(const RecordResult& result, const RunOptions& run) {
  if (result.running_program != 0)
    say(run, fmt::format("the program is still running, as process {}",
                         result.running_program));
  else if (!result.survivors.empty())
    say(run, survivors_text(result.survivors));
  if (result.program_status != 0)
    say(run, end_of_program(result.program_status));
}

std::string survivors_text(const std::vector<NamedProcess>& survivors) {
  constexpr std::size_t kMostNames = 3;
  std::string names, pids;
  for (std::size_t i = 0; i < survivors.size(); ++i) {
    const auto& [pid, name] = survivors[i];
    append(pids, "{}{}", i == 0 ? "" : ",", pid);
    if (i < kMostNames)
      append(names, "{}{} ({})", i == 0 ? "" : ", ", name, pid);
  }
  if (survivors.size() > kMostNames)
    append(names, " and {} more", survivors.size() - kMostNames);
  const bool is_one = survivors.size() == 1;
  return fmt::format(
      "{} {} on after the program's end, with which the recording of {} ended; "
      "'wick record -p {}' records {}",
      names, is_one ? "runs" : "run", is_one ? "it" : "them", pids,
      is_one ? "it" : "them");
}

std::string recorded_text(const RecordResult& result) {
  const std::vector<std::string>& events = result.events;
  constexpr std::size_t kMostNames = 3;
  const std::size_t named =
      events.size() > kMostNames ? kMostNames - 1 : events.size();
  std::string text = "of " + events.front();
  if (result.has_no_cycles && events.front() == "cpu-clock")
    text += " (cycles cannot be counted here)";
  for (std::size_t i = 1; i < named; ++i)
    text += (i + 1 == events.size() ? " and " : ", ") + events[i];
  if (named < events.size())
    text += fmt::format(" and {} other events", events.size() - named);
  if (result.stack_size > 0)
    text +=
        result.stack_size < 1024
            ? fmt::format(" with up to {} bytes of stack", result.stack_size)
            : fmt::format(" with up to {} kB of stack",
                          (result.stack_size + 512) / 1024);
  return text;
}

std::string no_samples_text(bool on_some_cpus, std::string_view more) {
  if (on_some_cpus)
    return "no samples were taken: nothing ran on the CPUs of -C, or only "
           "briefly";
  return fmt::format(
      "no samples were taken: what was recorded ran too briefly or only "
      "waited (--off-cpu shows that); a {} takes more",
      more);
}

}  // namespace wick

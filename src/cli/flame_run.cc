// SPDX-License-Identifier: Apache-2.0
#include "cli/flame_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/options/option_kinds.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/recording_run.h"
#include "cli/temporary_folder.h"
#include "format/registry.h"
#include "perf/events/event_spec.h"
#include "transform/event_choice.h"
#include "transform/select.h"

namespace wick {
namespace {

constexpr std::string_view kElsewhere = "--keep or TMPDIR=";

}  // namespace

void FlameRun::check_use() const {
  if (!picture.input.paths.empty())
    fail_usage("{}: give either an input ({}) or something to record, not both",
               command, excerpt(picture.input.paths.front()));
  if (picture.output.path == "-")
    fail_usage(
        "{}: -o -: a recording is drawn to a file, since standard output is "
        "the program's",
        command);
}

int FlameRun::record(const OutputFormat& format) {
  check_use();
  picture.prepare_for(format);
  choose_event();
  check_event();
  picture.read_baseline();
  const RunOptions& run = picture.run;
  perf.quiet = run.quiet;
  perf.verbose = run.verbose && !run.quiet;
  const OutputName name =
      !picture.output.path.empty()
          ? picture.output.name()
          : OutputName::chosen(fmt::format("flame{}", format.extension));
  check_writable(name);
  if (!perf.data_path.empty())
    in_context("--keep",
               [&] { check_writable(OutputName::typed(perf.data_path)); });
  if (perf.program.empty() && ::isatty(STDERR_FILENO) != 0)
    say(run, "recording; press Ctrl-C to stop and draw");
  PerfRun recorded = perf.is_wanted() ? record_by_perf() : record_here();
  result_.program_status = recorded.interrupted ? 0 : recorded.program_status;
  say_ends(result_, run);
  check_has_samples(recorded.profile);
  picture.draw(selected(std::move(recorded.profile)), format, name, true,
               recorded_event_);
  check_written(result_, kElsewhere);
  return exit_status ? shell_status(recorded.program_status) : 0;
}

void FlameRun::check_has_samples(const Profile& profile) const {
  const bool draws_waits = picture.write.first_event == kOffCpuEventName;
  const bool has_waits = std::ranges::any_of(
      profile.events,
      [](const Event& event) { return event.time == TimeKind::kOffCpu; });
  if (!profile.samples.empty() && (!draws_waits || has_waits)) return;
  // A full disk loses samples, too, and a lower rate does not help.
  check_written(result_, kElsewhere);
  if (const auto lost = profile.diagnostics.count(Problem::kLostSamples);
      lost > 0)
    fail(
        "all {} were lost; a {} or smaller stacks (--call-graph fp) lose fewer",
        counted(lost, "sample"),
        recording.period > 0 ? "larger --count" : "lower --freq");
  for (const Diagnostics::Entry& entry : profile.diagnostics.entries())
    if (info(entry.problem).is_time)
      fail("no samples were taken: {}", describe(entry));
  if (!profile.samples.empty())
    fail("no time off the CPU was recorded: nothing waited");
  fail("{}", no_samples_text(!recording.cpus.empty(), recording.period > 0
                                                          ? "lower --count"
                                                          : "higher --freq"));
}

// The event that is drawn, or shown first.
void FlameRun::choose_event() {
  std::string& first_event = picture.write.first_event;
  if (first_event.empty() &&
      (recording.wall || recording.off_cpu || recording.wakers))
    first_event = recording.wall ? kWallEventName : kOffCpuEventName;
  std::string& drawn = picture.input.select.event;
  if (drawn.empty()) drawn = first_event;
}

// The program should not run only to find that --event names nothing.
void FlameRun::check_event() const {
  const std::string& wanted = picture.input.select.event;
  if (wanted.empty() || wanted == "*" || perf.is_wanted()) return;
  std::vector<std::string> names{"cycles", "cpu-clock"};  // the defaults
  if (!recording.events.empty()) {
    names.clear();
    for (const EventSpec& event : parse_events(recording.events))
      names.push_back(event.name);
  }
  if (recording.off_cpu || recording.wakers || recording.wall)
    names.emplace_back(kOffCpuEventName);
  if (recording.wall) names.emplace_back(kWallEventName);
  const bool is_recorded =
      std::ranges::any_of(names, [&](const std::string& name) {
        return name == wanted || event_group(name) == event_group(wanted);
      });
  if (!is_recorded)
    fail_usage(
        "{}: --event '{}' is not among the events that are recorded ({}); see "
        "-e",
        command, excerpt(wanted), excerpt(joined(names, ", "), 200));
}

Profile FlameRun::selected(Profile recorded) {
  Profile profile = select(std::move(recorded), picture.input.select);
  // Users who ask for one kind of time do not miss the events it is made of.
  if (!picture.write.first_event.empty())
    profile.diagnostics.keep_at_most(Problem::kOtherEvent, 0);
  return profile;
}

PerfRun FlameRun::record_by_perf() {
  check_options_of_perf(recording_options, perf, command);
  if (recording.duration > 0 && !perf.program.empty())
    fail_usage(
        "{}: a real perf has no --duration for a program; run the program "
        "under 'timeout'",
        command);
  return record_with_perf(perf, recording, picture.input.read);
}

PerfRun FlameRun::record_here() {
  std::optional<TemporaryFile> temporary;
  if (perf.data_path.empty()) temporary.emplace();
  RecordOptions options = recording.resolved(perf.program);
  options.folder = perf.folder;
  options.output =
      temporary ? temporary->name() : OutputName::typed(perf.data_path);
  options.command_line = typed;
  options.command_line.insert(options.command_line.begin(), "wick");
  result_ = run_recording(options, picture.run);
  if (!recording.off_cpu && !recording.wakers && !recording.wall)
    recorded_event_ = recorded_text(result_);
  const ProgressLine progress(picture.run.quiet);
  InputFile file = InputFile::open(options.output.path);
  return {.profile = read_profile(file, picture.input.read, "perf-data"),
          .program_status = result_.program_status,
          .interrupted = result_.interrupted};
}

std::vector<Option*> add_record_options(OptionSet& app, FlameRun& flame,
                                        RecordOptionNames names) {
  PerfOptions& perf = flame.perf;
  const std::string group = "Recording";
  // Options for drawing have the usual names.
  names.event = "-e,--record-event";
  names.period = "--count";
  names.clock = "--clockid";
  std::vector<Option*> added = add_record_options(app, flame.recording, names);
  added.push_back(
      add_flag(app, "--wall", flame.recording.wall,
               "draw time on and off the CPU in one flame graph, as wide as "
               "the lifetime of the threads"));
  added.push_back(
      add_text(app, "-c,--cmd", perf.command, "'record …'",
               "record with a real perf and these arguments; an -o in them "
               "keeps perf's file"));
  added.push_back(add_text(app, "--keep", perf.data_path, "FILE",
                           "keep the recording in this file"));
  added.push_back(add_flag(app, "--exit-status", flame.exit_status,
                           "exit with the program's status"));
  for (Option* option : added) option->group(group);
  flame.recording_options = added;
  app.add_callback(
         "--root", [&perf](const std::string& flags) { perf.sudo = flags; },
         "record with a real perf run by sudo, with these flags")
      ->optional_value()
      ->type_name("FLAGS")
      ->group(group);
  // A program that fails never stops the drawing.
  app.add_flag_callback(
         "--ignore-status", [] {}, "accepted; always on")
      ->group("");
  return added;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "cli/flame_run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ranges>
#include <unordered_set>

#include "base/error.h"
#include "base/output_file.h"
#include "base/pipe.h"
#include "base/text.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "format/registry.h"
#include "profile/confidence.h"
#include "profile/diff.h"

namespace wick {
namespace {

std::size_t count_functions(const Profile& profile) {
  Column<StackId, bool> used(profile.stacks.size());
  for (const Sample& sample : profile.samples) used[sample.stack] = true;
  std::unordered_set<std::uint32_t> functions;
  for (const StackId id : profile.stacks.ids() | std::views::reverse) {
    if (id == StackId::kRoot || !used[id]) continue;
    used[profile.stacks.parent(id)] = true;
    functions.insert(index(profile.frames[profile.stacks.frame(id)].function));
  }
  return functions.size();
}

// "wrote flame.svg: 1,234 samples, 45 functions; open it in a browser".
// `samples` are those that were recorded, 0 if they are added up.
std::string what_was_written(const std::string& path, const Profile& profile,
                             std::size_t samples, const std::string& event) {
  std::string text = fmt::format("wrote {}: ", path);
  if (samples > 0)
    text +=
        counted(samples, "sample") + (event.empty() ? "" : " ") + event + ", ";
  text += counted(count_functions(profile), "function");
  if (path.ends_with(".svg") || path.ends_with(".html"))
    text += "; open it in a browser";
  return text;
}

// The folded stacks of `profile`, passed through a shell command.
Profile post_processed(const Profile& profile, const FoldOptions& fold,
                       const std::string& command) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/folded";
  {
    OutputFile file(path);
    output_format("folded").write(profile, {.fold = fold}, file.stream());
    file.commit();
  }
  const std::vector<std::string> words = {"sh", "-c",
                                          "exec <\"$0\"; " + command, path};
  Pipe pipe = make_pipe();
  Child child(words, {.out = pipe.write.get()});
  pipe.write.reset();
  InputFile file = InputFile::from_fd(std::move(pipe.read), "--post-process");
  Profile result = read_profile(file, {}, "folded");
  if (const int status = child.wait(); status != 0)
    fail("--post-process '{}' failed: {}", excerpt(command),
         describe_status(status));
  result.diagnostics.merge(profile.diagnostics);
  return result;
}

// Lets the desktop show the file, and does not wait for it.
void open_in_browser(const std::string& path, const RunOptions& run) {
  if (!find_program("xdg-open")) {
    say(run, "--open: there is no xdg-open (apt install xdg-utils)");
    return;
  }
  Child({"sh", "-c", "xdg-open \"$0\" </dev/null >/dev/null 2>&1 &", path}, {})
      .wait();
}

}  // namespace

void FlameRun::check_use() const {
  if (!input.paths.empty())
    fail_usage("{}: {} and something to record; one of both is wanted", command,
               excerpt(input.paths.front()));
  if (output.path == "-")
    fail_usage(
        "{}: -o -: the picture of a recording goes to a file, "
        "since standard output is the program's",
        command);
}

// What shows one event at a time gets all of them.
void FlameRun::keep_events_for(const OutputFormat& format) {
  if (format.name != "html" || !baseline.empty()) return;
  if (input.select.event.empty()) input.select.event = "*";
}

// Both sides are read with their times: only single samples tell how sure a
// change is.
Profile FlameRun::difference_from_baseline(Profile after) {
  InputOptions options = input;
  options.paths = {baseline};
  options.read.keep_time = true;
  Profile before = read_inputs(options, run);
  if (before.samples.empty()) fail("{}: has no samples", baseline);
  write.side_samples = {.before = effective_samples(before, EventRole::kPlain),
                        .after = effective_samples(after, EventRole::kPlain)};
  return join_as_difference(std::move(before), std::move(after),
                            {.compat = input.read.compat});
}

int FlameRun::record(const OutputFormat& format) {
  check_use();
  keep_events_for(format);
  perf.quiet = run.quiet;
  perf.verbose = run.verbose && !run.quiet;
  const std::string path = !output.path.empty()
                               ? output.path
                               : fmt::format("flame{}", format.extension);
  check_writable(path);
  if (!perf.data_path.empty() && !perf.sudo)
    in_context("--keep", [&] { check_writable(perf.data_path); });
  if (perf.program.empty() && ::isatty(STDERR_FILENO) != 0)
    say(run, "recording; Ctrl-C ends it and draws");
  PerfRun recorded = wants_perf() ? record_by_perf() : record_here();
  result_.program_status = recorded.interrupted ? 0 : recorded.program_status;
  say_ends(result_, run);
  // What the disk has no room for is lost, too, and not by sampling.
  if (recorded.profile.samples.empty())
    check_written(result_, "--keep or TMPDIR=");
  const auto lost = recorded.profile.diagnostics.count(Problem::kLostSamples);
  if (recorded.profile.samples.empty() && lost > 0)
    fail(
        "everything was lost, {}; a lower --freq or smaller stacks "
        "(--call-graph fp) lose fewer",
        counted(lost, "sample"));
  if (recorded.profile.samples.empty() && !recording.cpus.empty())
    fail(
        "no samples were taken: nothing of what was recorded ran on the CPUs "
        "of -C, or only briefly");
  if (recorded.profile.samples.empty())
    fail(
        "no samples were taken: what was recorded ran too briefly or only "
        "waited (--off-cpu shows that); a higher --freq gives more");
  if (write.first_event.empty() &&
      (recording.wall || recording.off_cpu || recording.wakers))
    write.first_event = recording.wall ? "wall-time" : "offcpu-time";
  if (input.select.event.empty()) input.select.event = write.first_event;
  Profile selected = select(std::move(recorded.profile), input.select);
  // Who asks for one kind of time does not miss what it is made of.
  if (!write.first_event.empty())
    selected.diagnostics.keep_at_most(Problem::kOtherEvent, 0);
  draw(std::move(selected), format, path, true);
  check_written(result_, "--keep or TMPDIR=");
  return exit_status ? shell_status(recorded.program_status) : 0;
}

// Its own words, another perf or another user's rights ask for a real perf.
bool FlameRun::wants_perf() const {
  return !perf.command.empty() || perf.sudo || std::getenv("PERF") != nullptr;
}

// What a real perf cannot be asked for, or is told by its own words already,
// must not be left out silently.
void FlameRun::check_options_of_perf() const {
  constexpr std::string_view kAlways[] = {
      "--pid",      "--tid",  "--all-cpus", "--cmd",
      "--duration", "--keep", "--root",     "--exit-status"};
  // With a --cpu, perf records everybody there.
  constexpr std::string_view kNever[] = {"--off-cpu",     "--wakers", "--wall",
                                         "--keep-stacks", "--cgroup", "--cpu"};
  for (const Option* option : recording_options) {
    const std::string name = option->name();
    if (option->count() == 0 ||
        std::ranges::find(kAlways, name) != std::end(kAlways))
      continue;
    if (!perf.command.empty())
      fail_usage("{}: -c has perf's own words, so {} belongs into them",
                 command, name);
    if (std::ranges::find(kNever, name) != std::end(kNever))
      fail_usage("{}: {} works only without a real perf, which {} asks for",
                 command, name,
                 perf.sudo ? "--root" : "PERF in the environment");
  }
}

// Those of ours that perf has, too.
std::vector<std::string> FlameRun::more_words_of_perf() const {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("-e", recording.events);
  add("--filter", recording.filter);
  add("-m", recording.buffer);
  if (recording.clock != RecordArguments().clock) add("-k", recording.clock);
  if (recording.delay > 0)
    add("-D", fmt::format("{:.0f}", recording.delay * 1000));
  if (recording.user_only) words.emplace_back("--all-user");
  return words;
}

PerfRun FlameRun::record_by_perf() {
  check_options_of_perf();
  if (recording.duration > 0 && !perf.program.empty())
    fail_usage(
        "{}: perf has no --duration for a program; `timeout` in front of "
        "it ends it",
        command);
  if (!folder.empty())
    perf.program.insert(perf.program.begin(), {"env", "-C", folder});
  perf.pids = recording.pids;
  perf.tids = recording.tids;
  perf.more = more_words_of_perf();
  perf.system_wide = recording.system_wide;
  perf.frequency = recording.frequency;
  perf.count = static_cast<int>(std::min(recording.period, 2147483647.0));
  perf.call_graph =
      recording.call_graph == "auto" ? "fp" : recording.call_graph;
  perf.compression = recording.compression_level();
  perf.duration = recording.duration;
  return record_with_perf(perf, input.read);
}

PerfRun FlameRun::record_here() {
  const TemporaryFolder temporary;
  RecordOptions options = recording.resolved(perf.program);
  options.folder = folder;
  options.output = !perf.data_path.empty() ? perf.data_path
                                           : temporary.path() + "/wick.data";
  options.command_line = typed;
  options.command_line.insert(options.command_line.begin(), "wick");
  result_ = run_recording(options, run);
  if (!recording.off_cpu && !recording.wakers && !recording.wall)
    recorded_event_ = recorded_text(result_);
  const ProgressLine progress(run.quiet);
  InputFile file = InputFile::open(options.output);
  return {.profile = read_profile(file, input.read, "perf-data"),
          .program_status = result_.program_status,
          .interrupted = result_.interrupted};
}

void FlameRun::draw(Profile profile, const OutputFormat& format,
                    const std::string& path, bool tell) {
  if (profile.samples.empty()) {
    report_losses(profile, run);
    fail("there are no samples to draw");
  }
  const std::size_t samples = profile.has_time ? profile.samples.size() : 0;
  if (!post_process.empty())
    profile = post_processed(profile, write.fold, post_process);
  if (!baseline.empty()) profile = difference_from_baseline(std::move(profile));
  write_output(profile, format, write, path, run);
  report_losses(profile, run);
  if (tell) say(run, what_was_written(path, profile, samples, recorded_event_));
  report_stats(run);
  if (open) open_in_browser(path, run);
}

void add_picture_options(OptionSet& app, FlameRun& flame) {
  add_output_options(app, flame.output);
  add_flag(app, "--open", flame.open, "show the picture when it is done")
      ->group("Output");
  add_text(app, "--post-process", flame.post_process, "COMMAND",
           "pass the folded stacks through this shell command before drawing")
      ->group("Output");
  add_text(app, "--diff", flame.baseline, "BASELINE",
           "draw what changed since this input")
      ->group("Output");
  add_flag(app, "--embed-source", flame.write.embed_source,
           "html: put the source of hot functions into the page")
      ->group("Output");
}

std::vector<Option*> add_record_options(OptionSet& app, FlameRun& flame,
                                        RecordOptionNames names) {
  PerfOptions& perf = flame.perf;
  const std::string group = "Recording";
  // Drawing has others of these names.
  names.event = "-e,--record-event";
  names.period = "--count";
  names.clock = "--clockid";
  std::vector<Option*> added = add_record_options(app, flame.recording, names);
  added.push_back(add_flag(
      app, "--wall", flame.recording.wall,
      "draw time on and off the CPU in one picture, as wide as the time that "
      "the threads lived"));
  added.push_back(
      add_text(app, "-c,--cmd", perf.command, "'record …'",
               "record with a real perf, by its own words; an -o in them keeps "
               "perf's file"));
  added.push_back(add_text(app, "--keep", perf.data_path, "FILE",
                           "keep the recording as this"));
  added.push_back(add_flag(app, "--exit-status", flame.exit_status,
                           "end with the program's exit status"));
  for (Option* option : added) option->group(group);
  flame.recording_options = added;
  app.add_callback(
         "--root", [&perf](const std::string& flags) { perf.sudo = flags; },
         "run perf by sudo, with these flags")
      ->optional_value()
      ->type_name("FLAGS")
      ->group(group);
  // A program that fails does not stop the drawing in any case.
  app.add_flag_callback(
         "--ignore-status", [] {}, "accepted; always so")
      ->group("");
  return added;
}

}  // namespace wick

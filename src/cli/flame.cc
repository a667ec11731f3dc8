// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <ranges>
#include <unordered_set>

#include "base/error.h"
#include "base/output_file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/perf_driver.h"
#include "cli/process.h"
#include "cli/progress.h"
#include "cli/record_options.h"
#include "format/registry.h"

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

std::string end_of_program(int status) {
  return fmt::format("the program {} {}",
                     WIFSIGNALED(status) ? "was ended by" : "ended with",
                     describe_status(status));
}

// "wrote flame.svg: 1,234 samples, 45 functions; open it in a browser".
std::string what_was_written(const std::string& path, const Profile& profile,
                             bool single_samples, const std::string& event) {
  std::string text = fmt::format("wrote {}: ", path);
  if (single_samples)
    text += counted(profile.samples.size(), "sample") +
            (event.empty() ? "" : " ") + event + ", ";
  text += counted(count_functions(profile), "function");
  if (path.ends_with(".svg")) text += "; open it in a browser";
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

struct FlameCommand {
  InputOptions input;
  OutputOptions output;
  WriteOptions write;
  RunOptions run;
  RecordingOptions recording;
  PerfOptions perf;  // where a real perf is wanted
  std::vector<std::string> perf_data;
  std::string post_process;
  bool open = false, exit_status = false;
  std::string recorded_event;  // "of cpu-clock", once it is recorded
  std::vector<const CLI::Option*> only_for_recording;

  int operator()(const Arguments& arguments) {
    perf.program = arguments.program;
    perf.quiet = run.quiet;
    perf.verbose = run.verbose && !run.quiet;
    input.paths = arguments.inputs;
    std::ranges::copy(perf_data, std::back_inserter(input.paths));
    write.draw.as_inferno = input.read.compat == Compat::kInferno;
    const OutputFormat& format = chosen_format(output, "svg");
    if (!perf.program.empty() || recording.has_target()) return record(format);
    for (const CLI::Option* option : only_for_recording)
      if (option->count() > 0)
        fail_usage(
            "flame: {} is for recording, and nothing to record is named: "
            "-- PROGRAM, -p or -a",
            option->get_name());

    input.read.keep_time = !format.only_sums || write.fold.flamechart ||
                           input.select.time.has_value();
    const bool named_here = output.path.empty() && format.name == "svg" &&
                            (::isatty(STDOUT_FILENO) != 0 || open);
    draw(read_inputs(input, run), format,
         named_here ? "flame.svg" : output.path, named_here);
    return 0;
  }

  void check_use() const {
    if (!input.paths.empty())
      fail_usage("flame: {} and something to record; one of both is wanted",
                 excerpt(input.paths.front()));
    if (output.path == "-")
      fail_usage(
          "flame: -o -: the picture of a recording goes to a file, "
          "since standard output is the program's");
  }

  int record(const OutputFormat& format) {
    check_use();
    const std::string path = !output.path.empty()
                                 ? output.path
                                 : fmt::format("flame{}", format.extension);
    check_writable(path);
    if (!perf.data_path.empty() && !perf.sudo)
      in_context("--keep", [&] { check_writable(perf.data_path); });
    if (perf.program.empty() && ::isatty(STDERR_FILENO) != 0)
      say(run, "recording; Ctrl-C ends it and draws");
    PerfRun recorded = wants_perf() ? record_by_perf() : record_here();
    if (recorded.program_status != 0 && !recorded.interrupted)
      say(run, end_of_program(recorded.program_status));
    const auto lost = recorded.profile.diagnostics.count(Problem::kLostSamples);
    if (recorded.profile.samples.empty() && lost > 0)
      fail(
          "everything was lost, {}; a lower --freq or smaller stacks "
          "(--call-graph fp) lose fewer",
          counted(lost, "sample"));
    if (recorded.profile.samples.empty())
      fail(
          "no samples were taken: the program ran too briefly or only waited; "
          "a higher --freq gives more");
    if (input.select.event.empty() && (recording.wall || recording.off_cpu))
      input.select.event = recording.wall ? "wall-time" : "offcpu-time";
    draw(select(std::move(recorded.profile), input.select), format, path, true);
    return exit_status ? shell_status(recorded.program_status) : 0;
  }

  // Its own words, another perf or another user's rights ask for a real perf.
  bool wants_perf() const {
    return !perf.command.empty() || perf.sudo || std::getenv("PERF") != nullptr;
  }

  PerfRun record_by_perf() {
    if (!recording.pids.empty() && !perf.program.empty())
      fail_usage("flame: -p and a program; one of both is wanted");
    if (recording.duration > 0 && !perf.program.empty())
      fail_usage(
          "flame: perf has no --duration for a program; `timeout` in front of "
          "it ends it");
    perf.pids = recording.pids;
    perf.system_wide = recording.system_wide;
    perf.frequency = recording.frequency;
    perf.count = static_cast<int>(std::min(recording.period, 2147483647.0));
    perf.call_graph =
        recording.call_graph == "auto" ? "fp" : recording.call_graph;
    perf.compression = recording.compression_level();
    perf.duration = recording.duration;
    return record_with_perf(perf, input.read);
  }

  PerfRun record_here() {
    const TemporaryFolder folder;
    RecordOptions options = recording.resolved(perf.program);
    options.output =
        !perf.data_path.empty() ? perf.data_path : folder.path() + "/wick.data";
    options.command_line = {"wick", "flame"};
    options.command_line.insert(options.command_line.end(),
                                perf.program.begin(), perf.program.end());
    const RecordResult result = run_recording(options, run);
    if (result.stopped_by == SIGTERM || result.stopped_by == SIGHUP)
      throw Interrupted(result.stopped_by);
    if (!recording.off_cpu && !recording.wall)
      recorded_event = recorded_text(result);
    const ProgressLine progress(run.quiet);
    InputFile file = InputFile::open(options.output);
    return {.profile = read_profile(file, input.read, "perf-data"),
            .program_status = result.program_status,
            .interrupted = result.interrupted};
  }

  void draw(Profile profile, const OutputFormat& format,
            const std::string& path, bool tell) {
    if (profile.samples.empty()) {
      report_losses(profile, run);
      fail("there are no samples to draw");
    }
    const bool single = profile.has_time;
    if (!post_process.empty())
      profile = post_processed(profile, write.fold, post_process);
    write_output(profile, format, write, path, run);
    report_losses(profile, run);
    if (tell) say(run, what_was_written(path, profile, single, recorded_event));
    report_stats(run);
    if (open) open_in_browser(path, run);
  }
};

void add_recording_options(CLI::App& app, FlameCommand& command) {
  PerfOptions& perf = command.perf;
  const std::string group = "Recording";
  const std::vector<CLI::Option*> recording =
      add_recording_options(app, command.recording,
                            {.event = "-e,--record-event",
                             .period = "--count",
                             .clock = "--clockid"});
  CLI::Option* wall = add_flag(
      app, "--wall", command.recording.wall,
      "draw time on and off the CPU in one picture, as wide as the time that "
      "the threads lived");
  wall->group(group);
  CLI::Option* words =
      add_text(app, "-c,--cmd", perf.command, "'record …'",
               "record with a real perf, by its own words; an -o in them keeps "
               "perf's file");
  words->group(group);
  app.add_option_function<std::string>(
         "--root", [&perf](const std::string& flags) { perf.sudo = flags; },
         "run perf by sudo, with these flags")
      ->expected(0, 1)
      ->type_name("FLAGS")
      ->group(group);
  add_texts(app, "--perfdata", command.perf_data, "FILE",
            "draw this perf.data (the same as INPUT)")
      ->group(group);
  CLI::Option* keep = add_text(app, "--keep", perf.data_path, "FILE",
                               "keep the recording as this");
  keep->group(group);
  CLI::Option* exit_status = add_flag(app, "--exit-status", command.exit_status,
                                      "end with the program's exit status");
  exit_status->group(group);
  command.only_for_recording = {words, keep, exit_status, wall};
  command.only_for_recording.insert(command.only_for_recording.end(),
                                    recording.begin(), recording.end());
  // A program that fails does not stop the drawing in any case.
  app.add_flag_callback(
         "--ignore-status", [] {}, "accepted; always so")
      ->group("");
}

std::function<int(const Arguments&)> declare(CLI::App& app) {
  auto command = std::make_shared<FlameCommand>();
  add_output_options(app, command->output);
  add_flag(app, "--open", command->open, "show the picture when it is done")
      ->group("Output");
  add_text(app, "--post-process", command->post_process, "COMMAND",
           "pass the folded stacks through this shell command before drawing")
      ->group("Output");
  add_recording_options(app, *command);
  add_drawing_options(app, command->write.draw, command->write.fold);
  add_reading_options(app, command->write.fold, command->input, command->run);
  return runner(command);
}

}  // namespace

extern const Command flame_command = {
    .name = "flame",
    .usage = "[OPTION…] [INPUT…]\n       wick flame [OPTION…] -- PROGRAM…",
    .summary = "draw a flame graph, of an input or of a program that it runs",
    .examples =
        "wick flame -- ./program --its-options  # record it, draw flame.svg\n"
        "wick flame -p 1234 --duration 10       # ten seconds of a process\n"
        "wick flame -c 'record -e cycles:u -g' -- ./program\n"
        "wick flame perf.data > out.svg         # draw what perf recorded\n"
        "wick flame --flamechart perf.txt.gz -o out.svg\n",
    .declare = declare,
    .takes_program = true,
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
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
                             bool single_samples) {
  std::string text = fmt::format("wrote {}: ", path);
  if (single_samples) text += counted(profile.samples.size(), "sample") + ", ";
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
  PerfOptions perf;
  std::vector<std::string> perf_data;
  std::string post_process;
  bool open = false, exit_status = false;
  std::vector<const CLI::Option*> only_for_recording;

  int operator()(const Arguments& arguments) {
    perf.program = arguments.program;
    perf.quiet = run.quiet;
    perf.verbose = run.verbose && !run.quiet;
    input.paths = arguments.inputs;
    std::ranges::copy(perf_data, std::back_inserter(input.paths));
    write.draw.as_inferno = input.read.compat == Compat::kInferno;
    const OutputFormat& format = chosen_format(output, "svg");
    const bool records =
        !perf.program.empty() || !perf.pids.empty() || perf.system_wide;
    if (records) return record(format);
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
    if (!perf.pids.empty() && !perf.program.empty())
      fail_usage("flame: -p and a program; one of both is wanted");
    if (perf.duration > 0 && !perf.program.empty())
      fail_usage(
          "flame: --duration is for -p and -a; a program is ended by "
          "`timeout` in front of it");
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
    PerfRun recorded = record_with_perf(perf, input.read);
    if (recorded.program_status != 0 && !recorded.interrupted)
      say(run, end_of_program(recorded.program_status));
    const auto lost = recorded.profile.diagnostics.count(Problem::kLostSamples);
    if (recorded.profile.samples.empty() && lost > 0)
      fail(
          "perf lost all that it took, {}; a lower --freq or smaller stacks "
          "(--call-graph fp) lose fewer",
          counted(lost, "sample"));
    if (recorded.profile.samples.empty())
      fail(
          "perf took no samples: the program ran too briefly or only waited; "
          "a higher --freq gives more");
    draw(select(std::move(recorded.profile), input.select), format, path, true);
    return exit_status ? shell_status(recorded.program_status) : 0;
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
    if (tell) say(run, what_was_written(path, profile, single));
    report_stats(run);
    if (open) open_in_browser(path, run);
  }
};

int compression_level(const std::string& text) {
  if (text.empty()) return 1;
  const auto level = to_number<int>(text);
  if (!level || *level < 1 || *level > 22)
    fail_usage("-z: '{}' is not a level from 1 to 22", excerpt(text));
  return *level;
}

void add_recording_options(CLI::App& app, FlameCommand& command) {
  PerfOptions& perf = command.perf;
  const std::string group = "Recording";
  CLI::Option* pid = add_text(app, "-p,--pid", perf.pids, "PID[,PID…]",
                              "record running processes, until Ctrl-C");
  pid->group(group);
  add_flag(app, "-a,--all-cpus", perf.system_wide,
           "record the whole machine, until Ctrl-C or the program's end")
      ->group(group)
      ->excludes(pid);
  CLI::Option* frequency = add_number(app, "-F,--freq", perf.frequency, "HZ",
                                      {1, 1e6}, "samples per second");
  frequency->group(group);
  CLI::Option* count =
      add_number(app, "--count", perf.count, "N", {0, 2147483647},
                 "a sample every N events, instead of --freq");
  count->group(group)->excludes(frequency);
  CLI::Option* call_graph =
      add_text(app, "--call-graph", perf.call_graph, "fp|dwarf|lbr",
               "how perf finds the callers");
  call_graph->group(group);
  CLI::Option* compression =
      app.add_option_function<std::string>(
             "-z,--compression-level",
             [&perf](const std::string& level) {
               perf.compression = compression_level(level);
             },
             "let perf compress its file, as hard as this (1 to 22, 1 without "
             "a level)")
          ->expected(0, 1)
          ->type_name("LEVEL")
          ->group(group);
  CLI::Option* words =
      add_text(app, "-c,--cmd", perf.command, "'record …'",
               "perf's own words instead of these options; an -o in them keeps "
               "perf's file");
  words->group(group)
      ->excludes(frequency)
      ->excludes(count)
      ->excludes(call_graph)
      ->excludes(compression);
  CLI::Option* duration =
      add_number(app, "--duration", perf.duration, "SECONDS", {0, 1e9},
                 "with -p or -a, stop after this time; 0: do not");
  duration->group(group);
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
                               "keep perf's file as this");
  keep->group(group);
  CLI::Option* exit_status = add_flag(app, "--exit-status", command.exit_status,
                                      "end with the program's exit status");
  exit_status->group(group);
  command.only_for_recording = {frequency, count,    call_graph,  words,
                                keep,      duration, exit_status, compression};
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

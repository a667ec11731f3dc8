// SPDX-License-Identifier: Apache-2.0
#include "cli/picture.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <unordered_set>
#include <utility>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/disassembly.h"
#include "cli/options/option_kinds.h"
#include "cli/options/setting_names.h"
#include "cli/options/table_options.h"
#include "cli/process.h"
#include "cli/read_inputs.h"
#include "cli/temporary_folder.h"
#include "format/registry.h"
#include "io/output_file.h"
#include "io/pipe.h"
#include "io/program_path.h"
#include "profile/fold.h"
#include "transform/confidence.h"
#include "transform/diff.h"
#include "transform/event_choice.h"

namespace wick {
namespace {

using EventSet = Column<EventId, bool>;

// The events that are looked at first, as in the page and in `wick report`.
EventSet events_shown(const Profile& profile, std::string_view first) {
  if (is_difference(profile)) return EventSet(profile.events.size(), true);
  const bool has_first =
      std::ranges::any_of(profile.samples, [&](const Sample& sample) {
        return profile.strings[profile.events[sample.event].name] == first;
      });
  return chosen_events(profile, has_first ? first : "");
}

// As many as `wick report --by function` lists for these events. "45
// functions", or "45 functions of cycles" if there are others.
std::string functions_text(const Profile& profile, const EventSet& events) {
  Column<StackId, bool> used(profile.stacks.size());
  EventId shown{0};
  bool has_others = false;
  for (const Sample& sample : profile.samples) {
    if (!events[sample.event]) {
      has_others = true;
      continue;
    }
    shown = sample.event;
    used[sample.stack] = true;
  }
  Column<FrameId, bool> is_counted(profile.frames.size());
  std::unordered_set<std::string> names;
  for (const StackId id : profile.stacks.ids() | std::views::reverse) {
    if (id == StackId::kRoot || !used[id]) continue;
    used[profile.stacks.parent(id)] = true;
    const FrameId frame = profile.stacks.frame(id);
    if (is_counted[frame]) continue;
    is_counted[frame] = true;
    names.insert(frame_name(profile, profile.frames[frame], {}));
  }
  std::string text = counted(names.size(), "function");
  if (has_others) append(text, " of {}", event_groups(profile)[shown]);
  return text;
}

// "wrote flame.svg: 1,234 samples of cycles, 45 functions; open it in a
// browser". `samples` is 0 if they are summed and their number is unknown.
std::string what_was_written(const std::string& path,
                             const std::string& functions, std::size_t samples,
                             const std::string& recorded) {
  std::string text = fmt::format("wrote {}: ", path);
  if (samples > 0)
    text += counted(samples, "sample") + (recorded.empty() ? "" : " ") +
            recorded + ", ";
  text += functions;
  if (path.ends_with(".svg") || path.ends_with(".html"))
    text += "; open it in a browser";
  return text;
}

// Passes the folded stacks of `profile` through a shell command.
Profile post_processed(Profile& profile, const FoldOptions& fold,
                       const std::string& command) {
  const TemporaryFile folded;
  {
    OutputFile file(folded.name());
    write_profile(profile, output_format("folded"), {.fold = fold},
                  file.stream());
    file.commit();
  }
  const UniqueFd stacks(
      ::open(folded.name().path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!stacks)
    fail("{}: cannot read: {}", folded.name().text(), last_system_error());
  Pipe pipe = make_pipe();
  Child child({"sh", "-c", command},
              {.in = stacks.get(), .out = pipe.write.get()});
  pipe.write.reset();
  InputFile file = InputFile::from_fd(std::move(pipe.read), "--post-process");
  Profile result = read_profile(file, {}, "folded");
  if (const int status = child.wait(); status != 0)
    fail("--post-process '{}' failed: {}", excerpt(command),
         describe_status(status));
  if (result.samples.empty())
    fail("--post-process '{}' printed no stacks", excerpt(command));
  result.diagnostics.merge(profile.diagnostics);
  return result;
}

// Does not wait for the browser.
void open_in_browser(const std::string& path, const RunOptions& run) {
  if (!find_program("xdg-open")) {
    say(run, "--open: cannot find xdg-open (apt install xdg-utils)");
    return;
  }
  Child({"sh", "-c", "xdg-open \"$0\" </dev/null >/dev/null 2>&1 &", path}, {})
      .wait();
}

}  // namespace

void Picture::prepare_for(const OutputFormat& format) {
  if (format.name != "html") return;
  if (embed_asm) {
    check_disassembler();
    input.read.keep_addresses = true;
  }
  if (!baseline.empty()) return;
  if (input.select.event.empty()) input.select.event = "*";
}

// Reads both sides with their times: the confidence in a change follows from
// single samples.
void Picture::read_baseline() {
  if (baseline.empty() || before_) return;
  InputOptions options = input;
  options.paths = {baseline};
  options.read.keep_time = true;
  before_ = in_context("--diff", [&] { return read_inputs(options, run); });
}

Profile Picture::difference_from_baseline(Profile after) {
  read_baseline();
  Profile before = std::move(*std::exchange(before_, std::nullopt));
  write.side_samples = {.before = effective_samples(before, EventRole::kPlain),
                        .after = effective_samples(after, EventRole::kPlain)};
  return join_as_difference(std::move(before), std::move(after),
                            {.compat = input.read.compat});
}

void Picture::draw(Profile profile, const OutputFormat& format,
                   const OutputName& name, bool announce,
                   const std::string& recorded) {
  const std::size_t samples = profile.has_time ? profile.samples.size() : 0;
  if (!post_process.empty())
    profile = post_processed(profile, write.fold, post_process);
  if (!baseline.empty()) {
    profile = difference_from_baseline(std::move(profile));
    const bool is_one_file = input.paths.size() == 1;
    if (format.name == "html")
      set_files(profile, baseline, is_one_file ? input.paths.front() : "");
  }
  if (is_difference(profile))
    set_scale(profile, chosen_scale(scale, input.read.compat));
  std::vector<std::string> problems;
  if (embed_asm && format.name == "html") {
    Disassembly found = disassemble(profile, input.read.symbols);
    write.code = std::move(found.functions);
    problems = std::move(found.problems);
  }
  Diagnostics notes;
  write.notes = &notes;
  write_output(profile, format, write, name, run);
  write.notes = nullptr;
  report_losses(profile, run);
  for (const std::string& line : describe(notes, 0, setting_name))
    say(run, line);
  for (const std::string& problem : problems) say(run, problem);
  if (announce)
    say(run,
        what_was_written(
            name.path,
            functions_text(profile, events_shown(profile, write.first_event)),
            samples, recorded));
  report_stats(run);
  if (open) open_in_browser(name.path, run);
}

void add_picture_options(OptionSet& app, Picture& picture) {
  add_output_options(app, picture.output);
  add_flag(app, "--open", picture.open, "open the result in a browser")
      ->group("Output");
  add_text(app, "--post-process", picture.post_process, "COMMAND",
           "pass the folded stacks through this shell command before drawing")
      ->group("Output");
  add_text(app, "--diff", picture.baseline, "BASELINE",
           "draw what changed since this input")
      ->group("Output");
  add_scale_option(app, picture.scale);
  Option* embed =
      add_flag(app, "--embed-source", picture.write.embed_source,
               "html: include the source code of hot functions, if it is in "
               "the current directory or a --source-root");
  embed->group("Output");
  add_texts(app, "--source-root", picture.write.source_roots, "DIR",
            "embed source files in this directory, too")
      ->group("Output")
      ->needs(embed);
  add_flag(app, "--embed-asm", picture.embed_asm,
           "html: include the instructions of hot functions, which objdump "
           "prints, if their files are on this machine")
      ->group("Output");
}

}  // namespace wick

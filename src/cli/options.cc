// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/regex.h"
#include "base/text.h"
#include "cli/option_table.h"
#include "cli/trace_options.h"

namespace wick {
namespace {

constexpr Limits kAnyThreadId{0, 2147483647};

// "--width" of "-w,--width,--image-width".
std::string first_name(const std::string& names) {
  return names.substr(0, names.find(','));
}

double checked_number(const std::string& names, const std::string& text,
                      Limits limits, bool whole) {
  const auto number = to_double(trim(text));
  if (!number || !std::isfinite(*number) ||
      (whole && *number != std::floor(*number)))
    fail_usage("{}: '{}' is not a {}number", first_name(names), excerpt(text),
               whole ? "whole " : "");
  if (*number < limits.least || *number > limits.most)
    fail_usage("{}: {} is not between {} and {}", first_name(names), text,
               limits.least, limits.most);
  return *number;
}

template <class T>
Option* add_number_of(OptionSet& app, const std::string& names, T& out,
                      const std::string& value, Limits limits,
                      const std::string& description, bool whole) {
  return app
      .add_callback(
          names,
          [&out, names, limits, whole](const std::string& text) {
            out = static_cast<T>(checked_number(names, text, limits, whole));
          },
          description)
      ->type_name(value)
      ->take_last();
}

// A number that may be absent.
template <class T>
Option* add_optional_number(OptionSet& app, const std::string& names,
                            std::optional<T>& out, const std::string& value,
                            Limits limits, const std::string& description) {
  return app
      .add_callback(
          names,
          [&out, names, limits](const std::string& text) {
            out = static_cast<T>(checked_number(names, text, limits, true));
          },
          description)
      ->type_name(value)
      ->take_last();
}

// Regular expressions, which are tried out before anything is read.
void add_patterns(OptionSet& app, const std::string& name,
                  std::vector<std::string>& out,
                  const std::string& description) {
  app.add_list_callback(
         name,
         [&out](const std::vector<std::string>& patterns) {
           for (const std::string& pattern : patterns) Regex{pattern};
           out = patterns;
         },
         description)
      ->one_value_each()
      ->type_name("REGEX")
      ->group("Selection");
}

void add_selection_options(OptionSet& app, Selection& select) {
  const auto texts = [&](const char* names, std::vector<std::string>& out,
                         const char* value, const char* description) {
    add_texts(app, names, out, value, description)->group("Selection");
  };
  add_text(app, "--event,--event-filter", select.event, "NAME",
           "the event to look at; '*' for all; without it, the first in the "
           "input and those like it on other kinds of core")
      ->group("Selection");
  add_optional_number(app, "--only-pid", select.pid, "PID", kAnyThreadId,
                      "samples of this process")
      ->group("Selection");
  add_optional_number(app, "--only-tid", select.tid, "TID", kAnyThreadId,
                      "samples of this thread")
      ->group("Selection");
  add_text(app, "--comm", select.comm, "NAME",
           "samples of processes or threads of this name")
      ->group("Selection");
  app.add_callback(
         "--time",
         [&select](const std::string& text) {
           select.time = parse_time_range(text);
         },
         "samples of this time, A..B in seconds from the first one; @A..B in "
         "seconds of the input's clock; A or B may be left out")
      ->type_name("A..B")
      ->take_last()
      ->group("Selection");
  add_patterns(app, "--focus", select.focus,
               "stacks with a function that matches");
  add_patterns(app, "--hide", select.hide,
               "leave functions that match out of the stacks");
  texts("--skip-after", select.skip_after, "FUNCTION",
        "make this function the root of its stacks");
  texts("--base", select.base, "FUNCTION",
        "as --skip-after, and leave out stacks without it");
  Option* kernel =
      add_flag(app, "--kernel-only", select.kernel_only, "kernel frames only");
  Option* user =
      add_flag(app, "--user-only", select.user_only, "no kernel frames");
  kernel->group("Selection")->excludes(user);
  user->group("Selection");
  add_flag(app, "--merge-recursion", select.merge_recursion,
           "show a function that calls itself once")
      ->group("Selection");
}

// Where names come from, under perf's names.
void add_symbol_options(OptionSet& app, SymbolOptions& symbols) {
  const char* const group = "Symbols (perf.data)";
  add_text(app, "--symfs", symbols.symfs, "DIR",
           "look for the recorded files in this folder")
      ->group(group);
  add_text(app, "--vmlinux,-k", symbols.vmlinux, "FILE",
           "the kernel with its symbols")
      ->group(group);
  add_text(app, "--kallsyms", symbols.kallsyms, "FILE",
           "the kernel's symbols (a copy of /proc/kallsyms)")
      ->group(group);
  add_flag(app, "--debuginfod", symbols.debuginfod,
           "ask the servers of DEBUGINFOD_URLS for what is missing")
      ->group(group);
  add_flag(app, "!--no-inline", symbols.inlines,
           "do not look for inlined functions")
      ->group(group);
  add_flag(app, "!--no-cache", symbols.use_cache,
           "do not use ~/.cache/wick for resolved addresses")
      ->group(group);
}

// Options that one or two formats know, under the peers' names.
void add_single_format_options(OptionSet& app, ReadOptions& read) {
  const auto flag = [&](const char* name, bool& out, const char* description) {
    add_flag(app, name, out, description)->group("Single formats");
  };
  using GhcColumn = ReadOptions::GhcColumn;
  const auto column = [&](const char* name, GhcColumn value,
                          const char* description) {
    return app
        .add_flag_callback(
            name, [&read, value] { read.ghc_column = value; }, description)
        ->group("Single formats");
  };
  flag("--size", read.allocation_size,
       "vtune-mc: weight is the bytes that are allocated, not how often");
  flag("--includeoffset", read.include_offset,
       "dtrace: keep the offset behind a function");
  flag("--no-modules", read.no_modules,
       "sample, vtune: no module in front of a function");
  flag("--srcline", read.srcline,
       "perf script -F +srcline: file and line in names");
  flag("--context", read.srcline, "the same, as stackcollapse-perf.pl has it");
  column("--ghc-time", GhcColumn::kTime, "ghcprof: weight is the time")
      ->group("");
  column("--ticks", GhcColumn::kTicks,
         "ghcprof: weight is the ticks; --time alone is the time");
  column("--bytes", GhcColumn::kBytes, "ghcprof: weight is the bytes");
  flag("--shorten-pkgs,!--no-shorten-pkgs", read.shorten_packages,
       "Java: o.e.Foo for org.example.Foo");
  flag("--no-pkgs", read.no_packages, "Java: Foo for org.example.Foo");
  flag("--include-tname,!--no-include-tname", read.include_thread_name,
       "jstack, ibmjava: the thread's name as the root (--no-include-tname: "
       "not)");
  flag("--include-tid,!--no-include-tid", read.include_thread_id,
       "jstack, ibmjava: the thread's id as well");
}

}  // namespace

Option* add_text(OptionSet& app, const std::string& names, std::string& out,
                 const std::string& value, const std::string& description) {
  return app.add_option(names, out, description)
      ->type_name(value)
      ->default_str(out)
      ->take_last();
}

Option* add_texts(OptionSet& app, const std::string& names,
                  std::vector<std::string>& out, const std::string& value,
                  const std::string& description) {
  return app.add_option(names, out, description)
      ->one_value_each()
      ->type_name(value);
}

Option* add_number(OptionSet& app, const std::string& names, int& out,
                   const std::string& value, Limits limits,
                   const std::string& description) {
  return add_number_of(app, names, out, value, limits, description, true)
      ->default_str(std::to_string(out));
}

Option* add_number(OptionSet& app, const std::string& names, double& out,
                   const std::string& value, Limits limits,
                   const std::string& description) {
  return add_number_of(app, names, out, value, limits, description, false)
      ->default_str(fmt::format("{}", out));
}

Option* add_flag(OptionSet& app, const std::string& names, bool& out,
                 const std::string& description) {
  return app.add_flag(names, out, description)->take_last();
}

void check_choice(std::string_view option, std::string_view value,
                  std::string_view text) {
  const std::vector<std::string> choices = possible_values(value);
  if (std::ranges::find(choices, text) == choices.end())
    fail_usage("{}: '{}' is not among {}", option, excerpt(text),
               fmt::join(choices, ", "));
}

Option* add_choice(OptionSet& app, const std::string& names, std::string& out,
                   const std::string& value, const std::string& description) {
  return app
      .add_callback(
          names,
          [&out, names, value](const std::string& text) {
            check_choice(first_name(names), value, text);
            out = text;
          },
          description)
      ->type_name(value)
      ->default_str(out)
      ->take_last();
}

void add_run_options(OptionSet& app, RunOptions& run) {
  add_flag(app, "-q,--quiet", run.quiet,
           "say nothing on standard error but errors");
  add_flag(app, "-v,--verbose", run.verbose,
           "say what is read and which programs are run");
  add_flag(app, "--stats", run.stats, "say the time per pass and the memory");
}

void add_input_options(OptionSet& app, InputOptions& input) {
  add_choice(app, "--format", input.format, "INPUT-FORMAT",
             "read inputs as this (see `wick formats`); without it, found by "
             "looking at them")
      ->group("Input");
  app.add_callback(
         "--compat",
         [&input](const std::string& text) {
           check_choice("--compat", "wick|inferno|perl", text);
           input.read.compat = text == "inferno" ? Compat::kInferno
                               : text == "perl"  ? Compat::kPerl
                                                 : Compat::kWick;
           input.compat_given = true;
           input.select.base_inside = input.read.compat == Compat::kInferno;
         },
         "whose rules give names and weights")
      ->type_name("wick|inferno|perl")
      ->default_str("wick")
      ->take_last()
      ->group("Input");
  add_flag(app, "--full-names", input.read.full_names,
           "keep the argument lists of functions")
      ->group("Input");
  add_number(app, "-n,--nthreads", input.read.threads, "N", {0, 1024},
             "threads to read with; 0: as many as there are cores")
      ->group("Input");
  add_selection_options(app, input.select);
  add_single_format_options(app, input.read);
  add_symbol_options(app, input.read.symbols);
  add_trace_options(app, input.read.trace);
}

void add_naming_options(OptionSet& app, FoldOptions& fold, ReadOptions& read) {
  const auto flag = [&](const char* name, bool& out, const char* description) {
    add_flag(app, name, out, description)->group("Names");
  };
  flag("--kernel", fold.annotate_kernel, "mark kernel functions with _[k]");
  flag("--jit", fold.annotate_jit, "mark jit-compiled functions with _[j]");
  flag("--inline", fold.annotate_inlined, "mark inlined functions with _[i]");
  app.add_flag_callback(
         "--all", [&fold] { fold.annotate_kernel = fold.annotate_jit = true; },
         "--kernel and --jit")
      ->group("Names");
  app.add_flag_callback(
         "--addrs",
         [&fold, &read] { fold.addresses = read.keep_addresses = true; },
         "show the address of functions whose name is not known")
      ->group("Names");
}

void add_reading_options(OptionSet& app, FoldOptions& fold, InputOptions& input,
                         RunOptions& run) {
  add_naming_options(app, fold, input.read);
  add_input_options(app, input);
  add_run_options(app, run);
}

void add_drawing_options(OptionSet& app, DrawOptions& draw, FoldOptions& fold) {
  const std::string group = "Drawing";
  const auto text = [&](const char* names, std::string& out, const char* value,
                        const char* description) {
    return add_text(app, names, out, value, description)->group(group);
  };
  const auto flag = [&](const char* names, bool& out, const char* description) {
    return add_flag(app, names, out, description)->group(group);
  };
  text("--title", draw.title, "TEXT", "the title, instead of 'Flame Graph'");
  text("--subtitle", draw.subtitle, "TEXT", "a second line under the title");
  text("--notes", draw.notes, "TEXT", "kept as a comment in the file");
  add_optional_number(app, "--width,--image-width", draw.width, "PIXELS",
                      {20, 100000},
                      "the width of the picture; without it, as wide as the "
                      "window")
      ->group(group);
  add_number(app, "--height", draw.frame_height, "PIXELS", {4, 1000},
             "the height of a frame")
      ->group(group);
  app.add_callback(
         "--minwidth,--min-width",
         [&draw](std::string number) {
           draw.min_width_px = number.ends_with("px");
           if (draw.min_width_px)
             number.resize(number.size() - 2);
           else if (number.ends_with('%'))
             number.pop_back();
           draw.min_width =
               checked_number("--minwidth", number, {0, 1e6}, false);
         },
         "leave out frames narrower than this: N or N% percent of the whole, "
         "Npx pixels")
      ->type_name("WIDTH")
      ->default_str(fmt::format("{}", draw.min_width))
      ->take_last()
      ->group(group);
  add_choice(app, "--colors,--color,--palette", draw.colors, "PALETTE",
             "the palette")
      ->group(group);
  text("--bgcolors", draw.bg_colors, "COLOR",
       "the background: yellow, blue, green, grey or #rrggbb");
  Option* hash = flag("--hash", draw.hash,
                      "colours by a hash of the name, as flamegraph.pl");
  Option* deterministic =
      flag("--deterministic", draw.deterministic,
           "colours by the name, the same in every picture");
  hash->excludes(deterministic);
  flag("--random", draw.random, "new colours on each run");
  flag("--colordiffusion", draw.color_diffusion, "colours by width");
  app.add_flag_callback(
         "--cp", [&draw] { draw.palette_map = "palette.map"; },
         "keep the colour of each name in palette.map, here")
      ->group(group);
  text("--palette-map", draw.palette_map, "FILE", "the same, in this file");
  text("--nameattr", draw.name_attributes, "FILE",
       "attributes (title, href, …) for functions, as flamegraph.pl");
  Option* reverse =
      flag("--reverse", fold.reversed, "merge stacks from the leaf");
  flag("-i,--inverted", draw.inverted, "icicle: the root at the top");
  Option* chart =
      flag("--flamechart", fold.flamechart, "keep the order of time");
  chart->excludes(reverse);
  flag("--negate", draw.negate, "in a difference, swap red and blue");
  add_number(app, "--factor", draw.factor, "N", {1e-12, 1e12},
             "multiply the counts that are shown")
      ->group(group);
  add_number(app, "--total", draw.total, "N", {0, 1e18},
             "the whole is this much, if it is more than what is there")
      ->group(group);
  text("--countname", draw.count_name, "TEXT",
       "what is counted, instead of 'samples' or the unit of the event");
  text("--nametype", draw.name_type, "TEXT", "in front of names");
  text("--fonttype", draw.font_type, "FONT", "the font");
  add_number(app, "--fontsize", draw.font_size, "PIXELS", {1, 200}, "its size")
      ->group(group);
  add_number(app, "--fontwidth", draw.font_width, "N", {0.1, 5},
             "the width of a character, as a share of its size")
      ->group(group);
  text("--search-color", draw.search_color, "COLOR", "what a search marks");
  text("--stroke-color", draw.stroke_color, "COLOR", "the border of frames");
  text("--uicolor", draw.ui_color, "COLOR", "titles and buttons");
  flag("--truncate-text-right", draw.truncate_text_right,
       "cut long names at the right");
  app.add_flag_callback(
         "--no-javascript", [&draw] { draw.script = false; },
         "a picture without script")
      ->group(group);
  flag("--pretty-xml", draw.pretty_xml, "indent the XML");
  // Without meaning here, but found in scripts that are made for the peers:
  // input is sorted in any case, and all output is UTF-8.
  app.add_flag_callback(
         "--no-sort", [] {}, "accepted; nothing to do")
      ->group("");
  app.add_callback(
         "--encoding", [](const std::string&) {}, "accepted; UTF-8 always")
      ->type_name("NAME")
      ->group("");
}

void add_output_options(OptionSet& app, OutputOptions& output) {
  add_text(app, "-o,--output", output.path, "FILE",
           "write to this file, whose extension gives the format; - is "
           "standard output")
      ->group("Output");
  add_choice(app, "--to", output.format, "OUTPUT-FORMAT",
             "write this format (see `wick formats`)")
      ->group("Output");
}

}  // namespace wick

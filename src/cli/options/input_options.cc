// SPDX-License-Identifier: Apache-2.0
#include "cli/options/input_options.h"

#include "base/regex.h"
#include "cli/options/option_kinds.h"
#include "cli/options/trace_options.h"

namespace wick {
namespace {

constexpr Limits kAnyThreadId{0, 2147483647};

// Checks regular expressions before anything is read.
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

void add_sample_selection(OptionSet& app, Selection& select) {
  const std::string group = "Selection";
  add_text(app, "--event,--event-filter", select.event, "NAME",
           "show this event; '*' shows all (default: the first in the input, "
           "on all types of core)")
      ->group(group);
  add_number(app, "--only-pid", select.pid, "PID", kAnyThreadId,
             "only samples of this process")
      ->group(group);
  add_number(app, "--only-tid", select.tid, "TID", kAnyThreadId,
             "only samples of this thread")
      ->group(group);
  add_text(app, "--comm", select.comm, "NAME",
           "only samples of processes or threads with this name")
      ->group(group);
  app.add_callback(
         "--time",
         [&select](const std::string& text) {
           select.time = parse_time_range(text);
         },
         "only samples in this range: A..B in seconds since the first sample, "
         "@A..B in seconds of the input's clock; A or B may be omitted")
      ->type_name("A..B")
      ->take_last()
      ->group(group);
}

void add_frame_selection(OptionSet& app, Selection& select) {
  const std::string group = "Selection";
  add_patterns(app, "--focus", select.focus,
               "only stacks with a matching function");
  add_patterns(app, "--hide", select.hide,
               "remove matching functions from stacks");
  add_texts(app, "--skip-after", select.skip_after, "FUNCTION",
            "make this function the root of its stacks")
      ->group(group);
  add_texts(app, "--base", select.base, "FUNCTION",
            "like --skip-after, and drop stacks without the function")
      ->group(group);
  Option* kernel =
      add_flag(app, "--kernel-only", select.kernel_only, "only kernel frames")
          ->group(group);
  Option* user =
      add_flag(app, "--user-only", select.user_only, "no kernel frames")
          ->group(group);
  kernel->excludes(user);
  add_flag(app, "--merge-recursion", select.merge_recursion,
           "show recursive calls of a function as one frame")
      ->group(group);
}

// Named as in perf.
constexpr const char* kSymbolGroup = "Symbols";

void add_kernel_options(OptionSet& app, SymbolOptions& symbols) {
  add_path(app, "--vmlinux,-k", symbols.vmlinux, "FILE",
           "perf.data: the kernel image with symbols")
      ->group(kSymbolGroup);
  add_path(app, "--kallsyms", symbols.kallsyms, "FILE",
           "perf.data: the kernel's symbols, a copy of /proc/kallsyms")
      ->group(kSymbolGroup);
  add_flag(app, "!--no-inline", symbols.inlines,
           "do not show inlined functions")
      ->group(kSymbolGroup);
}

// Options that apply to one or two formats, named as in flamegraph.pl and
// inferno.
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
       "vtune-mc: weigh by allocated bytes instead of allocations");
  flag("--includeoffset", read.include_offset,
       "dtrace: keep the offset after a function name");
  flag("--no-modules", read.no_modules,
       "sample, vtune: no module before function names");
  flag("--srcline", read.srcline,
       "perf script -F +srcline: add file and line to names");
  flag("--context", read.srcline,
       "same as --srcline, as in stackcollapse-perf.pl");
  column("--ghc-time", GhcColumn::kTime, "ghcprof: weigh by time")->group("");
  column("--ticks", GhcColumn::kTicks,
         "ghcprof: weigh by ticks; --time without a range weighs by time");
  column("--bytes", GhcColumn::kBytes, "ghcprof: weigh by allocated bytes");
  flag("--shorten-pkgs,!--no-shorten-pkgs", read.shorten_packages,
       "Java: shorten org.example.Foo to o.e.Foo");
  flag("--no-pkgs", read.no_packages, "Java: shorten org.example.Foo to Foo");
  flag("--include-tname,!--no-include-tname", read.include_thread_name,
       "jstack, ibmjava: make the thread's name the root "
       "(--no-include-tname: do not)");
  flag("--include-tid,!--no-include-tid", read.include_thread_id,
       "jstack, ibmjava: add the thread's id to the root");
}

void set_compat(const std::string& text, InputOptions& input) {
  check_choice("--compat", "wick|inferno|perl", text);
  input.read.compat = text == "inferno" ? Compat::kInferno
                      : text == "perl"  ? Compat::kPerl
                                        : Compat::kWick;
  input.compat_given = true;
  input.select.base_inside = input.read.compat == Compat::kInferno;
}

}  // namespace

void add_debug_file_options(OptionSet& app, SymbolOptions& symbols) {
  add_path(app, "--symfs", symbols.symfs, "DIR",
           "look for the recorded files in this directory")
      ->group(kSymbolGroup);
  add_flag(app, "--debuginfod", symbols.debuginfod,
           "download missing debug information from DEBUGINFOD_URLS")
      ->group(kSymbolGroup);
  add_flag(app, "!--no-cache", symbols.use_cache,
           "do not cache resolved addresses in ~/.cache/wick")
      ->group(kSymbolGroup);
}

void add_input_options(OptionSet& app, InputOptions& input) {
  add_choice(app, "--format", input.format, "INPUT-FORMAT",
             "the format of the inputs (see 'wick formats'); default: detected "
             "from the content")
      ->group("Input");
  add_path(app, "--token-file", input.token_file, "FILE",
           "the token of the server that inputs like http://HOST:PORT are read "
           "from (default: in WICK_TOKEN)")
      ->group("Input");
  add_recorded_options(app, input);
  add_single_format_options(app, input.read);
  add_trace_options(app, input.read.trace);
}

void add_recorded_options(OptionSet& app, InputOptions& input) {
  app.add_callback(
         "--compat",
         [&input](const std::string& text) { set_compat(text, input); },
         "name and weigh as this tool does")
      ->type_name("wick|inferno|perl")
      ->default_str("wick")
      ->take_last()
      ->group("Input");
  add_flag(app, "--full-names", input.read.full_names,
           "keep the arguments in function names")
      ->group("Input");
  add_number(app, "-n,--nthreads", input.read.threads, "N", {0, 1024},
             "threads to read with; 0: one per core")
      ->group("Input");
  add_sample_selection(app, input.select);
  add_frame_selection(app, input.select);
  add_debug_file_options(app, input.read.symbols);
  add_kernel_options(app, input.read.symbols);
}

void add_naming_options(OptionSet& app, FoldOptions& fold, ReadOptions& read) {
  const auto flag = [&](const char* name, bool& out, const char* description) {
    add_flag(app, name, out, description)->group("Names");
  };
  flag("--kernel", fold.annotate_kernel, "mark kernel functions with _[k]");
  flag("--jit", fold.annotate_jit, "mark JIT-compiled functions with _[j]");
  flag("--inline", fold.annotate_inlined, "mark inlined functions with _[i]");
  app.add_flag_callback(
         "--all", [&fold] { fold.annotate_kernel = fold.annotate_jit = true; },
         "same as --kernel --jit")
      ->group("Names");
  app.add_flag_callback(
         "--addrs",
         [&fold, &read] { fold.addresses = read.keep_addresses = true; },
         "show the addresses of functions without a name")
      ->group("Names");
}

void add_reading_options(OptionSet& app, FoldOptions& fold, InputOptions& input,
                         RunOptions& run) {
  add_naming_options(app, fold, input.read);
  add_input_options(app, input);
  add_run_options(app, run);
}

}  // namespace wick

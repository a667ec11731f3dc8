// SPDX-License-Identifier: Apache-2.0
// What the commands share: each add_… function declares one family of options
// once, for every command that has it, and fills the structs that the library
// takes. The options refer to those structs, which must outlive the parsing.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/option_set.h"
#include "cli/perf_driver.h"
#include "profile/format.h"
#include "profile/transform.h"

namespace wick {

// --- how the run itself behaves

struct RunOptions {
  bool quiet = false, verbose = false, stats = false;
};
void add_run_options(OptionSet& app, RunOptions& run);

// --- what is read

struct InputOptions {
  std::vector<std::string> paths;  // none: see default_inputs()
  std::string format;
  ReadOptions read;
  bool compat_given = false;
  Selection select;
};
// --format, selection, and the options of single formats. `paths` is left to
// the command.
void add_input_options(OptionSet& app, InputOptions& input);

// Standard input if something is piped into it, else wick.data, else
// perf.data; a UsageError if there is none of these.
std::vector<std::string> default_inputs();

// Reads one input as it is, without selecting.
Profile read_input(const std::string& path, const InputOptions& input);
// Reads all inputs, merges them, and selects; shows its progress on a terminal.
Profile read_inputs(const InputOptions& input, const RunOptions& run = {});

// --- how frames are named and drawn

// --kernel, --jit, --inline, --all, --addrs.
void add_naming_options(OptionSet& app, FoldOptions& fold, ReadOptions& read);
// Those, and the options of the input and the run: what every command has that
// reads a profile.
void add_reading_options(OptionSet& app, FoldOptions& fold, InputOptions& input,
                         RunOptions& run);
// As flamegraph.pl, inferno and flamegraph-rs name them.
void add_drawing_options(OptionSet& app, DrawOptions& draw, FoldOptions& fold);

// --- what is written

struct OutputOptions {
  std::string path;    // "-" or "": standard output
  std::string format;  // "": by the extension of `path`
};
void add_output_options(OptionSet& app, OutputOptions& output);

// By --to, else by the extension of -o, else `fallback`; a UsageError if that
// is empty, or if a binary format would go to a terminal.
const OutputFormat& chosen_format(const OutputOptions& output,
                                  std::string_view fallback);

// Writes to the file, which appears whole or not at all, or to standard output.
void write_output(const Profile& profile, const OutputFormat& format,
                  WriteOptions options, const std::string& path,
                  const RunOptions& run = {});
// The same for text that a command made itself.
void write_text(std::string_view text, const std::string& path);
// Fails if `path` cannot be written: before a recording rather than after it.
void check_writable(const std::string& path);

// One short block on standard error: what was lost, with its share of the
// whole. Nothing if nothing was. With --stats, also the time per pass.
void report_losses(const Profile& profile, const RunOptions& run);
void report_stats(const RunOptions& run);
// A line on standard error, unless --quiet.
void say(const RunOptions& run, std::string_view message);

// --- for commands that declare options of their own

// An option with a text value; `value` stands for it in help: "FILE".
Option* add_text(OptionSet& app, const std::string& names, std::string& out,
                 const std::string& value, const std::string& description);
// May be given several times, one value each.
Option* add_texts(OptionSet& app, const std::string& names,
                  std::vector<std::string>& out, const std::string& value,
                  const std::string& description);
// A whole number or a decimal one within the limits.
struct Limits {
  double least, most;
};
Option* add_number(OptionSet& app, const std::string& names, int& out,
                   const std::string& value, Limits limits,
                   const std::string& description);
Option* add_number(OptionSet& app, const std::string& names, double& out,
                   const std::string& value, Limits limits,
                   const std::string& description);
Option* add_flag(OptionSet& app, const std::string& names, bool& out,
                 const std::string& description);
// Fails unless `text` is one of the values that `value` stands for, "pc|kind"
// or "PALETTE" (see possible_values).
void check_choice(std::string_view option, std::string_view value,
                  std::string_view text);
// An option whose value is one of them.
Option* add_choice(OptionSet& app, const std::string& names, std::string& out,
                   const std::string& value, const std::string& description);
// The same, with what each of the words means.
template <class Value, std::size_t kSize>
Option* add_choice(OptionSet& app, const std::string& name, Value& out,
                   const std::string& words,
                   const std::pair<std::string_view, Value> (&values)[kSize],
                   const std::string& description) {
  return app
      .add_callback(
          name,
          [&out, &values, name, words](const std::string& text) {
            check_choice(name, words, text);
            for (const auto& [word, value] : values)
              if (word == text) out = value;
          },
          description)
      ->type_name(words)
      ->take_last();
}

}  // namespace wick

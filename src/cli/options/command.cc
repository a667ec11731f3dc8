// SPDX-License-Identifier: Apache-2.0
#include "cli/options/command.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "base/edit_distance.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/options/option_table.h"
#include "profile/time_range.h"

namespace wick {

extern const Command cargo_command;
extern const Command completions_command;
extern const Command convert_command;
extern const Command doctor_command;
extern const Command record_command;
extern const Command diff_command;
extern const Command firesim_command;
extern const Command flame_command;
extern const Command fold_command;
extern const Command formats_command;
extern const Command kernel_offsets_command;
extern const Command man_command;
extern const Command report_command;
extern const Command serve_command;
extern const Command serve_server_command;
extern const Command trace_command;

namespace {

constexpr const Command* kCommands[] = {
    &flame_command,        &record_command, &cargo_command,
    &fold_command,         &report_command, &diff_command,
    &convert_command,      &serve_command,  &trace_command,
    &firesim_command,      &doctor_command, &formats_command,
    &completions_command,  &man_command,    &kernel_offsets_command,
    &serve_server_command,
};

// A range of seconds, or an attempt at one.
bool looks_like_time(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("0123456789.@-+eE") == text.npos;
}

// "foo" and "1..x", but not "x.prof" and "dir/x", which are probably missing
// files.
bool is_no_input(const std::string& word) {
  if (word.starts_with('-') || word.find('/') != word.npos) return false;
  return (word.find('.') == word.npos || word.find("..") != word.npos) &&
         ::access(word.c_str(), F_OK) != 0;
}

// Rewrites what CLI11 cannot parse: "--opt=" has an empty value, "--root" takes
// a value only after "=", and "--time" without a range is the flag of inferno's
// ghcprof collapser.
std::vector<std::string> normalized(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("--") && word.size() > 3 && word.ends_with('=')) {
      out.push_back(word.substr(0, word.size() - 1));
      out.emplace_back();
    } else if (word == "--root") {
      out.push_back(word);
      out.emplace_back();
    } else if (word == "--time" &&
               (i + 1 == words.size() || !looks_like_time(words[i + 1]))) {
      if (i + 1 < words.size() && is_no_input(words[i + 1]))
        parse_time_range(words[i + 1]);  // fails with a useful message
      out.emplace_back("--ghc-time");
    } else {
      out.push_back(word);
    }
  }
  return out;
}

// The candidate that `word` was probably meant to be, or "".
class NearestName {
 public:
  explicit NearestName(std::string_view word) : word_(word) {}

  void consider(std::string_view candidate) {
    const std::size_t distance = edit_distance(word_, candidate);
    if (distance >= best_ || distance >= candidate.size() - 1) return;
    best_ = distance;
    nearest_ = candidate;
  }
  // " (did you mean flame?)" or "".
  std::string question() const {
    return nearest_.empty() ? "" : fmt::format(" (did you mean {}?)", nearest_);
  }

 private:
  std::string_view word_;
  std::size_t best_ = 3;
  std::string nearest_;
};

[[noreturn]] void fail_unknown_option(const Command& command,
                                      std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  NearestName nearest(name);
  for (const OptionInfo& option : option_table(command))
    for (const std::string& other : option.names)
      if (!option.hidden && other.size() > 2) nearest.consider(other);
  fail_usage("{}: unknown option {}{}; see 'wick {} --help'", command.name,
             excerpt(name), nearest.question(), command.name);
}

// CLI11 would take any text for true or false.
void check_no_values_of_flags(const Command& command,
                              const std::vector<OptionInfo>& options,
                              const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (!word.starts_with("--") || equals == word.npos) continue;
    const std::string name = word.substr(0, equals);
    for (const OptionInfo& option : options)
      if (option.value.empty() &&
          std::ranges::find(option.names, name) != option.names.end())
        fail_usage("{}: {} takes no value, got '{}'", command.name, name,
                   excerpt(word.substr(equals + 1)));
  }
}

}  // namespace

std::span<const Command* const> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto at = std::ranges::find(kCommands, name, &Command::name);
  return at == std::end(kCommands) ? nullptr : *at;
}

void fail_unknown_command(std::string_view word) {
  NearestName nearest(word);
  for (const Command* command : kCommands)
    if (!command->hidden) nearest.consider(command->name);
  nearest.consider("--version");
  fail_usage("unknown {} '{}'{}; see 'wick --help'",
             word.starts_with('-') ? "option" : "command", excerpt(word),
             nearest.question());
}

int run_command(const Command& command, std::vector<std::string> words) {
  OptionSet app;
  const auto run = command.declare(app);

  Arguments arguments{.inputs = {}, .program = {}, .words = words};
  arguments.words.insert(arguments.words.begin(), std::string(command.name));
  std::vector<std::string> after_dashes;
  const auto dashes = std::ranges::find(words, "--");
  const bool has_dashes = dashes != words.end();
  if (has_dashes) after_dashes.assign(dashes + 1, words.end());
  words.erase(dashes, words.end());
  check_no_values_of_flags(command, app.table(), words);
  words = normalized(words);
  OptionSet::Parsed parsed = app.parse(std::move(words));
  if (parsed.wants_help) {
    std::cout << help_text(command);
    return 0;
  }
  if (!parsed.error.empty())
    fail_usage("{}: {}; see 'wick {} --help'", command.name, parsed.error,
               command.name);
  arguments.inputs = std::move(parsed.rest);
  for (const std::string& word : arguments.inputs)
    if (word.size() > 1 && word.starts_with('-'))
      fail_unknown_option(command, word);
  if (command.takes_program || command.takes_arguments) {
    if (has_dashes && after_dashes.empty() && !command.takes_arguments)
      fail_usage("{}: expected a program after --", command.name);
    arguments.program = std::move(after_dashes);
  } else {
    std::ranges::move(after_dashes, std::back_inserter(arguments.inputs));
  }
  return run(arguments);
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "cli/options/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/append.h"
#include "base/text.h"
#include "format/registry.h"
#include "render/text_table.h"

namespace wick {
namespace {

constexpr std::string_view kPalettes[] = {
    "kind",  "module", "name",   "hot",    "mem",    "io",     "red",
    "green", "blue",   "yellow", "purple", "aqua",   "orange", "java",
    "js",    "perl",   "python", "rust",   "wakeup", "chain"};

constexpr std::size_t kTextWidth = 79;

// Appends `text`, wrapped into lines with `indent` blanks in front. The first
// line continues the last one of `out`.
void append_wrapped(std::string& out, std::string_view text,
                    std::size_t indent) {
  std::size_t column = indent;
  bool first = true;
  while (!text.empty()) {
    const std::string_view word = take_until(text, ' ');
    const auto width = static_cast<std::size_t>(display_width(word));
    if (!first && column + 1 + width > kTextWidth) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      first = true;
    }
    if (!first) out += ' ', ++column;
    out += word;
    column += width;
    first = false;
  }
  out += '\n';
}

std::string shown_names(const OptionInfo& option) {
  std::string text = joined(option.names, ", ");
  if (option.optional_value)
    text += fmt::format("[={}]", option.value);
  else if (!option.value.empty())
    text += ' ' + option.value;
  return text;
}

}  // namespace

std::vector<OptionInfo> option_table(const Command& command) {
  OptionSet app;
  const auto keep_alive = command.declare(app);
  std::vector<OptionInfo> table = app.table();
  std::vector<std::string> groups;
  for (const OptionInfo& info : table)
    if (std::ranges::find(groups, info.group) == groups.end())
      groups.push_back(info.group);
  // The group of --help and the options of the run comes last.
  std::ranges::stable_sort(table, {}, [&](const OptionInfo& info) {
    const bool general = info.group == "Options";
    return general
               ? groups.size()
               : static_cast<std::size_t>(
                     std::ranges::find(groups, info.group) - groups.begin());
  });
  return table;
}

std::vector<std::string> possible_values(std::string_view value) {
  std::vector<std::string> values;
  if (value == "INPUT-FORMAT") {
    for (const InputFormat* format : input_formats())
      values.emplace_back(format->name);
  } else if (value == "OUTPUT-FORMAT") {
    for (const OutputFormat* format : output_formats())
      values.emplace_back(format->name);
  } else if (value == "PALETTE") {
    values.assign(std::begin(kPalettes), std::end(kPalettes));
  } else if (value.find('|') != value.npos) {
    while (!value.empty()) values.emplace_back(take_until(value, '|'));
  }
  return values;
}

std::string help_text(const Command& command) {
  std::string out =
      fmt::format("wick {}: {}\n\nExamples:\n", command.name, command.summary);
  for (std::string_view rest = command.examples; !rest.empty();)
    out += fmt::format("  {}\n", take_line(rest));
  append(out, "\nUsage: wick {} {}\n", command.name, command.usage);
  std::string group;
  for (const OptionInfo& option : option_table(command)) {
    if (option.hidden) continue;
    if (option.group != group) {
      group = option.group;
      append(out, "\n{}:\n", group);
    }
    constexpr std::size_t kIndent = 28;
    const std::string names = "  " + shown_names(option);
    out += names;
    const auto width = static_cast<std::size_t>(display_width(names));
    if (width + 2 > kIndent)
      out += "\n" + std::string(kIndent, ' ');
    else
      out.append(kIndent - width, ' ');
    std::string text = option.description;
    if (!option.default_value.empty())
      text += fmt::format(" [{}]", option.default_value);
    append_wrapped(out, text, kIndent);
  }
  return out;
}

std::string overview_text() {
  std::string out =
      "wick: flame graphs and reports from any profiler's output\n\n"
      "Examples:\n"
      "  wick flame -- ./program --its-options   # record it, draw flame.svg\n"
      "  wick flame perf.data > out.svg          # draw perf's recording\n"
      "  wick report perf.data                   # print the hottest "
      "functions\n"
      "  wick fold trace.txt.gz > out.folded     # folded stacks of anything\n"
      "\nCommands:\n";
  for (const Command* command : commands())
    if (!command->hidden)
      append(out, "  {:<12} {}\n", command->name, command->summary);
  out +=
      "\nSee 'wick COMMAND --help' for the options of a command,\n"
      "'wick help languages' for Python, Java, Node.js and others.\n";
  return out;
}

std::string version_text() { return "wick " WICK_VERSION "\n"; }

}  // namespace wick

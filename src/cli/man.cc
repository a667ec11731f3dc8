// SPDX-License-Identifier: Apache-2.0
// Man pages, generated from the same declarations as the help.
#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <iterator>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/options/option_table.h"

namespace wick {
namespace {

// Escapes `text` for roff.
std::string roff(std::string_view text) {
  std::string out;
  if (text.starts_with('.') || text.starts_with('\'')) out += "\\&";
  while (!text.empty()) {
    const char32_t c = take_utf8(text);
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '\n':
        out += ' ';
        break;
      default:
        if (c < 0x80)
          out += static_cast<char>(c);
        else
          append(out, "\\[u{:04X}]", static_cast<std::uint32_t>(c));
    }
  }
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

void append_examples(std::string& out, std::string_view examples) {
  out += ".SH EXAMPLES\n.EX\n";
  while (!examples.empty()) out += roff(take_line(examples)) + "\n";
  out += ".EE\n";
}

void append_options(std::string& out, const Command& command) {
  out += ".SH OPTIONS\n";
  std::string group;
  for (const OptionInfo& option : option_table(command)) {
    if (option.hidden) continue;
    if (option.group != group) {
      group = option.group;
      append(out, ".SS {}\n", roff(group));
    }
    out += ".TP\n";
    std::string names;
    for (const std::string& name : option.names)
      names +=
          fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
    if (option.optional_value)
      names += fmt::format("[=\\fI{}\\fR]", roff(option.value));
    else if (!option.value.empty())
      names += fmt::format(" \\fI{}\\fR", roff(option.value));
    out += names + "\n" + roff(option.description);
    if (!option.default_value.empty())
      append(out, " [{}]", roff(option.default_value));
    out += "\n";
    const auto values = possible_values(option.value);
    if (!values.empty() && option.value.find('|') == std::string::npos)
      append(out, "(one of {})\n", roff(joined(values, ", ")));
  }
}

std::string overview_page() {
  std::string out =
      ".SH NAME\nwick \\- flame graphs and reports from any profiler's "
      "output\n.SH SYNOPSIS\n.B wick\n.I COMMAND\n[OPTION]... "
      "[INPUT]...\n.SH COMMANDS\n";
  std::string pages;
  for (const Command* each : commands()) {
    if (each->hidden) continue;
    append(out, ".TP\n\\fB{}\\fR\n{}\n", roff(each->name), roff(each->summary));
    pages += fmt::format("{}.BR wick\\-{} (1)", pages.empty() ? "" : ",\n",
                         each->name);
  }
  out +=
      ".SH LANGUAGES\n.B wick help languages\nsays what can be seen of "
      "programs in Python, Java, Node.js and others, and the options that they "
      "need.\n.SH EXIT STATUS\n0 for success, 1 for failure, 2 for wrong "
      "usage, 3 if "
      "a \\-\\-fail\\-on of wick\\-diff fails.\n.SH SEE ALSO\n" +
      pages + "\n";
  return out;
}

std::string command_page(const std::string& name, const Command& command) {
  std::string out =
      fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.summary));
  append_examples(out, command.examples);
  out += ".SH SYNOPSIS\n";
  const std::string usage =
      fmt::format("wick {} {}", command.name, command.usage);
  for (std::string_view rest = usage; !rest.empty();) {
    out += roff(trim(take_line(rest))) + "\n";
    if (!rest.empty()) out += ".br\n";
  }
  append_options(out, command);
  out += ".SH SEE ALSO\n.BR wick (1)\n";
  return out;
}

std::function<int(const Arguments&)> declare_man(OptionSet&) {
  return [](const Arguments& arguments) {
    if (arguments.inputs.size() > 1)
      fail_usage("man: expected at most one command");
    const Command* command = nullptr;
    if (!arguments.inputs.empty()) {
      command = find_command(arguments.inputs.front());
      if (command == nullptr)
        fail_usage("man: unknown command '{}'",
                   excerpt(arguments.inputs.front()));
    }
    std::cout << man_page(command);
    return 0;
  };
}

}  // namespace

std::string man_page(const Command* command) {
  const std::string name =
      command == nullptr ? "wick" : fmt::format("wick-{}", command->name);
  return fmt::format(".TH {} 1 \"\" \"{}\" \"User Commands\"\n",
                     roff(upper(name)), trim(version_text())) +
         (command == nullptr ? overview_page() : command_page(name, *command));
}

extern const Command man_command = {
    .name = "man",
    .usage = "[COMMAND]",
    .summary = "print the man page of a command",
    .examples = "wick man fold | man -l -\n",
    .declare = declare_man,
};

}  // namespace wick

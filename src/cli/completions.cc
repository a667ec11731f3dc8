// SPDX-License-Identifier: Apache-2.0
// Shell completions, generated from the same declarations as the help.
#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <iterator>
#include <vector>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/options/option_table.h"

namespace wick {
namespace {

std::string command_names() {
  std::vector<std::string> names;
  for (const Command* command : commands())
    if (!command->hidden) names.emplace_back(command->name);
  return joined(names, " ");
}

// Quotes `text` for a POSIX shell.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + "'";
}

// A case for each option with a value: its values are completed, free text is
// not. Options with files are left to the default.
std::string bash_values(const std::vector<OptionInfo>& options) {
  std::string out;
  for (const OptionInfo& option : options) {
    if (option.hidden || option.value.empty() || option.value == "FILE" ||
        option.optional_value)
      continue;
    append(out,
           "        {})\n          COMPREPLY=($(compgen -W {} -- "
           "\"$cur\"))\n          return ;;\n",
           joined(option.names, "|"),
           in_quotes(joined(possible_values(option.value), " ")));
  }
  return out;
}

constexpr std::string_view kBashStart =
    R"bash(# bash completion for wick: eval "$(wick completions bash)"
_wick() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"
  local i words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$_wick_commands --help --version" -- "$cur"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      COMPREPLY=($(compgen -c -f -- "$cur"))
      return
    fi
  done
  # "--to=sv" comes as three words.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev="${COMP_WORDS[COMP_CWORD-2]}"
  fi
  case "${COMP_WORDS[1]}" in
)bash";

constexpr std::string_view kBashEnd =
    R"bash(  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -o filenames -o bashdefault -F _wick wick
)bash";

std::string bash_script() {
  std::string out = fmt::format("_wick_commands={}\n{}",
                                in_quotes(command_names()), kBashStart);
  for (const Command* command : commands()) {
    if (command->hidden) continue;
    const auto options = option_table(*command);
    std::vector<std::string> names;
    for (const OptionInfo& option : options)
      if (!option.hidden)
        names.insert(names.end(), option.names.begin(), option.names.end());
    append(out, "    {})\n", command->name);
    if (const std::string values = bash_values(options); !values.empty())
      out += "      case \"$prev\" in\n" + values + "      esac\n";
    append(out, "      words={} ;;\n", in_quotes(joined(names, " ")));
  }
  out += kBashEnd;
  return out;
}

// Escapes `text` for a specification of _arguments, where ':' and brackets are
// separators.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(const OptionInfo& option) {
  if (option.value.empty()) return "";
  const std::string colon = option.optional_value ? "::" : ":";
  const auto values = possible_values(option.value);
  std::string action;
  if (!values.empty())
    action = "(" + joined(values, " ") + ")";
  else if (option.value == "FILE")
    action = "_files";
  return colon + zsh_text(option.value) + ":" + action;
}

std::string zsh_script() {
  std::string out =
      "#compdef wick\n# zsh completion for wick: save it as _wick in $fpath\n"
      "_wick() {\n  local -a commands\n  commands=(\n";
  for (const Command* command : commands())
    if (!command->hidden)
      append(out, "    {}\n",
             in_quotes(fmt::format("{}:{}", command->name, command->summary)));
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n"
      "    return\n  fi\n  local name=$words[2]\n  shift words\n"
      "  (( CURRENT-- ))\n  case $name in\n";
  for (const Command* command : commands()) {
    if (command->hidden) continue;
    append(out, "    {})\n      _arguments -s \\\n", command->name);
    for (const OptionInfo& option : option_table(*command)) {
      if (option.hidden) continue;
      for (const std::string& name : option.names)
        append(out, "        {} \\\n",
               in_quotes(fmt::format("*{}{}[{}]{}", name,
                                     option.value.empty()     ? ""
                                     : name.starts_with("--") ? "="
                                                              : "+",
                                     zsh_text(option.description),
                                     zsh_value(option))));
    }
    out += "        '*:input:_files' ;;\n";
  }
  out += "  esac\n}\ncompdef _wick wick\n";
  return out;
}

std::string fish_script() {
  std::string out = fmt::format(
      "# fish completion for wick: wick completions fish | source\n"
      "complete -c wick -n __fish_use_subcommand -f -l help -s h\n"
      "complete -c wick -n __fish_use_subcommand -f -l version -s V\n");
  for (const Command* command : commands()) {
    if (command->hidden) continue;
    append(out, "complete -c wick -n __fish_use_subcommand -f -a {} -d {}\n",
           command->name, in_quotes(command->summary));
    for (const OptionInfo& option : option_table(*command)) {
      if (option.hidden) continue;
      append(out, "complete -c wick -n '__fish_seen_subcommand_from {}'",
             command->name);
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2)
                                      : " -s " + name.substr(1);
      const auto values = possible_values(option.value);
      if (!values.empty())
        out += " -x -a " + in_quotes(joined(values, " "));
      else if (option.value == "FILE")
        out += " -r";
      else if (!option.value.empty() && !option.optional_value)
        out += " -x";
      out += " -d " + in_quotes(option.description) + "\n";
    }
  }
  return out;
}

std::function<int(const Arguments&)> declare_completions(OptionSet&) {
  return [](const Arguments& arguments) {
    if (arguments.inputs.size() != 1)
      fail_usage("completions: expected a shell: bash, zsh or fish");
    std::cout << completion_script(arguments.inputs.front());
    return 0;
  };
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script();
  if (shell == "zsh") return zsh_script();
  if (shell == "fish") return fish_script();
  fail_usage("completions: '{}' is not one of bash, zsh, fish", excerpt(shell));
}

extern const Command completions_command = {
    .name = "completions",
    .usage = "bash|zsh|fish",
    .summary = "print a script for shell completion",
    .examples =
        "eval \"$(wick completions bash)\"    # in ~/.bashrc\n"
        "wick completions fish | source     # in config.fish\n",
    .declare = declare_completions,
};

}  // namespace wick

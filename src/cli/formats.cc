// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iostream>
#include <iterator>
#include <memory>

#include "base/error.h"
#include "cli/command.h"
#include "cli/options.h"
#include "format/registry.h"

namespace wick {
namespace {

std::string as_table() {
  std::string out = "Read (found by looking at the content, or by --format):\n";
  for (const InputFormat* format : input_formats())
    fmt::format_to(std::back_inserter(out), "  {:<18} {}{}\n", format->name,
                   format->description,
                   format->never_detected ? " (only with --format)" : "");
  out += "\nWritten (chosen by the extension of -o, or by --to):\n";
  for (const OutputFormat* format : output_formats()) {
    fmt::format_to(std::back_inserter(out), "  {:<18} {:<18} {}\n",
                   format->name, format->extension, format->description);
    if (!format->lacks.empty())
      fmt::format_to(std::back_inserter(out), "  {:<37} without {}\n", "",
                     format->lacks);
  }
  out += "\ngzip and zstd are read through; - is standard input.\n";
  return out;
}

std::function<int(const Arguments&)> declare_formats(OptionSet& app) {
  auto names = std::make_shared<bool>(false);
  add_flag(app, "--names", *names,
           "names only: 'read NAME' and 'write NAME' on a line each");
  return [names](const Arguments& arguments) {
    if (!arguments.inputs.empty())
      fail_usage("formats: '{}' is not wanted; see `wick formats --help`",
                 arguments.inputs.front());
    if (!*names) {
      std::cout << as_table();
      return 0;
    }
    for (const InputFormat* format : input_formats())
      std::cout << "read " << format->name << '\n';
    for (const OutputFormat* format : output_formats())
      std::cout << "write " << format->name << '\n';
    return 0;
  };
}

}  // namespace

extern const Command formats_command = {
    .name = "formats",
    .usage = "[OPTION…]",
    .summary = "every format that is read and written",
    .examples = "wick formats\n",
    .declare = declare_formats,
};

}  // namespace wick

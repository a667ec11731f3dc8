// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <iterator>
#include <memory>

#include "base/append.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/options/command.h"
#include "cli/options/option_kinds.h"
#include "format/registry.h"

namespace wick {
namespace {

std::string as_table() {
  std::string out =
      "Input formats (detected from the content, or set by --format):\n";
  for (const InputFormat* format : input_formats())
    append(out, "  {:<18} {}{}\n", format->name, format->description,
           format->never_detected ? " (only with --format)" : "");
  out += "\nOutput formats (by the extension of -o, or set by --to):\n";
  for (const OutputFormat* format : output_formats()) {
    append(out, "  {:<18} {:<18} {}\n", format->name, format->extension,
           format->description);
    if (!format->lacks.empty())
      append(out, "  {:<37} without {}\n", "", format->lacks);
  }
  out +=
      "\nInputs may be compressed with gzip, zstd or xz; - is standard "
      "input.\n";
  return out;
}

std::function<int(const Arguments&)> declare_formats(OptionSet& app) {
  auto names = std::make_shared<bool>(false);
  add_flag(app, "--names", *names,
           "print only names: a line 'read NAME' or 'write NAME' each");
  return [names](const Arguments& arguments) {
    if (!arguments.inputs.empty())
      fail_usage("formats: unexpected argument '{}'; see 'wick formats --help'",
                 excerpt(arguments.inputs.front()));
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
    .summary = "list the formats that wick reads and writes",
    .examples = "wick formats\n",
    .declare = declare_formats,
};

}  // namespace wick

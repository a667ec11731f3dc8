// SPDX-License-Identifier: Apache-2.0
// Writing the result of a command, and reporting what it lacks.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/option_set.h"
#include "cli/options/run_options.h"
#include "io/output_name.h"
#include "profile/format.h"

namespace wick {

struct OutputOptions {
  std::string path;    // "-" or "": standard output
  std::string format;  // "": by the extension of `path`

  OutputName name() const { return OutputName::typed(path); }
};
void add_output_options(OptionSet& app, OutputOptions& output);

// By --to, else by the extension of -o, else `fallback`; a UsageError if that
// is empty, or if a binary format would go to a terminal.
const OutputFormat& chosen_format(const OutputOptions& output,
                                  std::string_view fallback);

// Writes to standard output, or to a file that appears complete or not at all.
void write_output(Profile& profile, const OutputFormat& format,
                  WriteOptions options, const OutputName& name,
                  const RunOptions& run = {});
// The same for text.
void write_text(std::string_view text, const std::string& path);
// Fails if it cannot be written: before a recording rather than after it.
void check_writable(const OutputName& name);

// Reports on standard error what was lost, with its share of the whole. Prints
// nothing if nothing was lost.
void report_losses(const Profile& profile, const RunOptions& run);

}  // namespace wick

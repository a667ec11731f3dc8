// SPDX-License-Identifier: Apache-2.0
// From a profile to a picture, for the commands that draw one.
#pragma once

#include <optional>
#include <string>

#include "cli/options/input_options.h"
#include "cli/output.h"
#include "io/output_name.h"
#include "transform/diff.h"

namespace wick {

struct Picture {
  InputOptions input;
  OutputOptions output;
  WriteOptions write;
  RunOptions run;
  std::string post_process;
  std::string baseline;  // draws the difference from this input
  bool embed_asm = false;
  std::optional<Scale> scale;  // of a difference
  bool open = false;

  // Before reading: selects all events for a format that shows one at a time,
  // and keeps addresses if instructions are to be shown.
  void prepare_for(const OutputFormat& format);
  // Reads the baseline, if there is one, before anything costly is done.
  void read_baseline();
  // Draws to a file. `recorded` describes the samples of a recording: "of
  // cycles"; with `announce`, a line on standard error names the file.
  void draw(Profile profile, const OutputFormat& format, const OutputName& name,
            bool announce, const std::string& recorded = "");

 private:
  Profile difference_from_baseline(Profile after);

  std::optional<Profile> before_;
};

// Output and what goes with it; the other options are the command's to add.
void add_picture_options(OptionSet& app, Picture& picture);

}  // namespace wick

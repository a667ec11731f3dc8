// SPDX-License-Identifier: Apache-2.0
// The tracing section of FireSim's runtime configuration: config_runtime.ini
// (up to FireSim 1.13) or config_runtime.yaml (later). Of both languages, only
// sections of keys with one value each are read; everything else is skipped.
#pragma once

#include <string>
#include <string_view>

#include "io/input_file.h"

namespace wick {

struct RuntimeConfig {
  bool has_tracing = false;  // the section exists
  bool enabled = false;
  int output_format = 0;  // 0 text, 1 binary, 2 stacks
  int selector = 0;
  std::string start = "0", end = "-1";
  std::string workload;  // the workload's file: "linux-uniform.json"
};

// Fails if a numeric key of the tracing section is not a number.
RuntimeConfig parse_runtime_config(std::string_view text);

// The same for a file. Fails if it has no tracing section.
RuntimeConfig read_runtime_config(InputFile file);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What FireSim's runtime configuration says about tracing: config_runtime.ini
// (to FireSim 1.13) and config_runtime.yaml (since). Of both languages, only
// sections of keys with one value each are read; whatever else is in the file
// is passed over.
#pragma once

#include <string>
#include <string_view>

namespace wick {

struct RuntimeConfig {
  bool has_tracing = false;  // a section about it is there
  bool enabled = false;
  int output_format = 0;  // 0 text, 1 binary, 2 stacks
  int selector = 0;
  std::string start = "0", end = "-1";
  std::string workload;  // the file of the workload: "linux-uniform.json"
};

// Fails if a number of the section about tracing is none.
RuntimeConfig parse_runtime_config(std::string_view text);

// The same of a file. Fails if it has no section about tracing.
RuntimeConfig read_runtime_config(const std::string& path);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The plugin's options: `-plugin wick-trace.so,out=FILE,start=…`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "io/output_name.h"

namespace wick_qemu {

// What starts or stops tracing.
struct Trigger {
  bool by_pc = false;
  std::uint64_t pc = 0;
  std::uint32_t value = 0, mask = 0;  // of the instruction
  std::uint64_t hit = 1;              // which match, counted from 1
};

struct Options {
  wick::OutputName out = wick::OutputName::chosen("wick.trace");
  std::optional<Trigger> start, stop;  // no start: from the beginning
  bool once = false;                   // never start again after a stop
  std::string offsets;                 // a file, see linux_guest.h
};

// Fills `options`; returns what is wrong, or "".
std::string parse_options(int argc, char** argv, Options& options);

}  // namespace wick_qemu

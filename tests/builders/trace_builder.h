// SPDX-License-Identifier: Apache-2.0
// For tests: one list of instructions, written in every layout and format that
// is read, so that a test shows its input once and every reader must give the
// same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "itrace/trace_reader.h"
#include "itrace/tracerv_layout.h"

namespace wick {

// One instruction, with all that any format may know of it.
struct Step {
  std::uint64_t cycle = 0, pc = 0;
  std::uint32_t bits = 0x13;  // nop
  int privilege = 0;
  std::uint64_t satp = 0;
  std::uint32_t hart = 0;
  bool exception = false, interrupt = false;
  std::uint64_t cause = 0;
};
using Steps = std::vector<Step>;

inline constexpr std::string_view kClockHeader =
    "# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock\n";

// Records of `layout`. Steps of one cycle share a record as far as it has
// slots. The packed layout has a beat for each cycle from 0 on.
std::string tracerv_records(const Steps& steps, const TracervLayout& layout);

// What the reader of `format` ("": the one that recognises them) makes of
// `bytes`, read to the end, all harts together in the order in which they come.
struct ReadTrace {
  std::vector<TraceBlock> blocks;
  TraceInfo info;
  Diagnostics diagnostics;

  // "cycle:pc" of each, hexadecimal pcs, "hart/" before those of harts but 0,
  // and "!" behind one that trapped.
  std::string text() const;
  // Its instructions with bits, privilege and satp as far as known.
  Steps steps() const;
};
ReadTrace read_trace(std::string bytes, std::string_view format = "",
                     const TraceOptions& options = {},
                     const std::string& name = "trace");

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// For tests: one list of instructions, written in every layout and format that
// is read, so that a test shows its input once and every reader must give the
// same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "itrace/formats/trace_reader.h"
#include "itrace/formats/tracerv_layout.h"

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
  bool is_after_trap = false;  // taken between it and the one before
};
using Steps = std::vector<Step>;

inline constexpr std::string_view kClockHeader =
    "# Clock Domain: baseClock, Relative Frequency: 1/1 of Base Clock\n";

// Records of `layout`. Steps of one cycle share a record as far as it has
// slots. The packed layout has a beat for each cycle from 0 on.
std::string tracerv_records(const Steps& steps, const TracervLayout& layout);

// The texts.
std::string tracerv_text(const Steps& steps);     // FireSim 1.10 and later
std::string tracerv_text_19(const Steps& steps);  // 1.9
// A line of 128 digits for each of these records.
std::string as_beat_lines(const std::string& records);
std::string tracerv_logger(const Steps& steps);     // FIREPERF_LOGGER
std::string tracerv_user_text(const Steps& steps);  // with satp and privilege
std::string cospike_text(const Steps& steps);
std::string tracedoctor_text(const Steps& steps);
std::string spike_log(const Steps& steps);      // -l
std::string spike_commits(const Steps& steps);  // --log-commits
std::string commit_log(const Steps& steps);     // the same of Rocket and BOOM
std::string rocket_log(const Steps& steps);     // +verbose
std::string execlog_text(const Steps& steps);
std::string rvfi_csv(const Steps& steps);
std::string trace_csv(const Steps& steps);

// What the reader of `format` ("": the one that recognises them) makes of
// `bytes`, read to the end, all harts together in the order in which they come.
struct ReadTrace {
  std::vector<TraceBlock> blocks;
  TraceInfo info;
  Diagnostics diagnostics;

  // "cycle:pc" of each, hexadecimal pcs, "hart/" before those of harts but 0,
  // and "!" behind one that trapped or in front of one that is after a trap.
  std::string text() const;
  // Its instructions with bits, privilege and satp as far as known.
  Steps steps() const;
};
ReadTrace read_trace(std::string bytes, std::string_view format = "",
                     const TraceOptions& options = {},
                     const std::string& name = "trace");

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What `wick trace` shows about a trace: a summary, the instructions as text,
// and counts of them. Each takes one pass and bounded memory.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "itrace/formats/trace_reader.h"
#include "profile/diagnostics.h"
#include "profile/format.h"

namespace wick {

// --- summary

struct HartSummary {
  std::uint32_t hart = 0;
  std::uint64_t instructions = 0, gaps = 0;
  std::uint64_t traps = 0;  // all of them only if TraceInfo::has_traps
  std::uint64_t first_cycle = 0, last_cycle = 0;
  // From first to last, inclusive, without gaps.
  std::uint64_t cycles = 0;
};

struct TraceSummary {
  TraceInfo info;
  std::vector<HartSummary> harts;    // by number
  std::uint64_t spaces = 0;          // distinct satp; counted up to 65,536
  std::vector<std::string> threads;  // distinct names, up to 64 of them
};

// Reads the whole trace.
TraceSummary summarize(TraceReader& reader);

// --- instructions

// One line each: hart, cycle, pc and, where known, the instruction, the
// privilege, the function and the kind of transfer. At most `limit` lines.
// Returns what was noted about the files of code; the reader has its own
// diagnostics.
Diagnostics print_instructions(TraceReader& reader, const TraceOptions& options,
                               std::uint64_t limit, std::ostream& out,
                               const SymbolOptions& symbols = {});

// --- counts

enum class CountBy : std::uint8_t { kFunction, kPc, kKind };

struct CountRow {
  std::string name;
  std::uint64_t instructions = 0;
  // Since the previous instruction. If several retire in one cycle, the oldest
  // one gets it.
  std::uint64_t cycles = 0;
};

struct InstructionCounts {
  // The most instructions first. Beyond 4 million distinct pcs, the others
  // are one row.
  std::vector<CountRow> rows;
  Diagnostics diagnostics;  // of the files of code
};
InstructionCounts count_instructions(TraceReader& reader,
                                     const TraceOptions& options, CountBy by,
                                     const SymbolOptions& symbols = {});

}  // namespace wick

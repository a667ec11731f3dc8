// SPDX-License-Identifier: Apache-2.0
// Selects a part of a trace: from one point of the execution until another, in
// program order and exact to the instruction.
//
// A point matches instructions:
//   cycle:N            by the trace's clock: from the first one at N or later,
//                      until the last one at N or before
//   base-cycle:N       the same in cycles of FireSim's base clock; the trace's
//                      header line has the ratio of the two clocks
//   pc:HEX             compares as many low bits as the trace has
//   insn:HEX[/MASK]    instruction & mask == value & mask
//   symbol:NAME        the first instruction of a function
// Each may end with "#N". A start with it is the N-th match in the trace only;
// an end, the N-th match after the start. Without it, tracing starts again
// whenever the start point is met again.
//
// FireSim's TracerV does this in hardware (its selectors 0 to 3), less exactly:
// it keeps the state per commit slot, not per hart and instruction. Here, an
// instruction that matches both points is a start. TracerV captures from the
// cycle after the match on (Edges::kUntil).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "itrace/formats/trace_reader.h"
#include "profile/format.h"

namespace wick {

struct TracePoint {
  enum class Kind : std::uint8_t {
    kNone,
    kCycle,
    kBaseCycle,
    kPc,
    kInstruction,
    kSymbol
  };
  Kind kind = Kind::kNone;
  std::uint64_t value = 0;          // cycle, pc or instruction
  std::uint32_t mask = 0xffffffff;  // kInstruction
  std::string symbol;
  std::uint64_t hit = 0;  // the only match that counts; 0: every match
  friend bool operator==(const TracePoint&, const TracePoint&) = default;
};

// A UsageError lists the choices.
TracePoint parse_trace_point(std::string_view text);

// Sets `from` and `until` from FireSim's configuration: selector 0 is always, 1
// cycles of the base clock in decimal (-1: no end), 2 a pc and 3 an
// instruction, both hexadecimal; the upper half of an instruction is its mask.
void set_tracerv_trigger(TriggerOptions& trigger, int selector,
                         std::string_view start, std::string_view end);

// Local cycles = base cycles * multiplier / divisor, as in TracerV's header.
struct ClockRatio {
  std::uint64_t multiplier = 1, divisor = 1;
  std::uint64_t to_local(std::uint64_t base) const;
  std::uint64_t to_base(std::uint64_t local) const;
};
// From TraceInfo::clock_domain; 1/1 if it has no ratio.
ClockRatio clock_ratio(std::string_view clock_domain);

// Whether the trigger cuts anything at all.
bool has_trigger(const TriggerOptions& trigger);

// `reader` without what `options.trigger` leaves out. Symbols are looked up in
// the files of `options` and the debug files that `symbols` leads to. Fails if
// a symbol is not found or the trace lacks what a point needs. `path` is the
// trace's; TraceWindows::input_of() needs it.
std::unique_ptr<TraceReader> cut_by_trigger(std::unique_ptr<TraceReader> reader,
                                            const TraceOptions& options,
                                            std::string_view path = "",
                                            const SymbolOptions& symbols = {});

// When tracing is on, for harts that start and stop together. On the hart that
// met a point, the instruction counts; on others, the cycle. Several files may
// have a hart 0, so a hart is identified together with its file.
class TraceWindows {
 public:
  static constexpr std::uint32_t kNoInput = UINT32_MAX;
  struct Edge {
    std::uint64_t base_cycle = 0;
    std::uint32_t input = kNoInput;  // index of its file
    std::uint32_t hart = 0;
    std::uint64_t ordinal = 0;  // index of the instruction on its hart
  };
  struct Window {
    Edge from, until;
    bool ended = false;  // false: lasts until the end of the trace
  };
  TraceWindows(std::vector<std::string> paths, std::vector<Window> windows)
      : paths_(std::move(paths)), windows_(std::move(windows)) {}
  std::span<const Window> windows() const { return windows_; }
  // kNoInput for a path that was not searched.
  std::uint32_t input_of(std::string_view path) const;

 private:
  std::vector<std::string> paths_;
  std::vector<Window> windows_;  // ordered by time, not overlapping
};

// Finds the windows by reading the whole traces, which is not possible for
// pipes, since they cannot be read again.
std::shared_ptr<const TraceWindows> find_windows(
    std::span<const std::string> paths, std::string_view format_name,
    const TraceOptions& options, const SymbolOptions& symbols = {});

}  // namespace wick

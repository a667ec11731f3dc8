// SPDX-License-Identifier: Apache-2.0
// Which part of a trace is looked at: from one point of the execution until
// another, in the order of the program and to the instruction.
//
// A point matches instructions:
//   cycle:N            the clock of the trace; from the first one at N or
//                      later, until the last one at N or before
//   base-cycle:N       the same in cycles of FireSim's base clock, which the
//                      clock of the trace's header line is a fraction of
//   pc:HEX             with as many low bits as the trace has
//   insn:HEX[/MASK]    instruction & mask == value & mask
//   symbol:NAME        the first instruction of a function
// Each may end in "#N". For the beginning that is the N-th match of the trace,
// and no other; for the end it is the N-th after the beginning. Without it,
// tracing begins again whenever the first point is met again.
//
// This is what FireSim's TracerV does in hardware (its selectors 0 to 3), but
// exact: state is kept per hart and instruction, where TracerV has it per
// commit slot, and an instruction that matches both points begins. TracerV
// captures from the cycle after the match on (Edges::kUntil is that).
#pragma once

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
  std::uint64_t hit = 0;  // the only match that counts; 0: each
  friend bool operator==(const TracePoint&, const TracePoint&) = default;
};

// A UsageError says what may be given.
TracePoint parse_trace_point(std::string_view text);

// Fills `from` and `until` as FireSim's configuration has them: selector 0 is
// always, 1 cycles of the base clock in decimal (-1: no end), 2 a pc and 3 an
// instruction, both hexadecimal; the upper half of an instruction is its mask.
void set_tracerv_trigger(TriggerOptions& trigger, int selector,
                         std::string_view start, std::string_view end);

// Local cycles = base cycles * multiplier / divisor, as in TracerV's header.
struct ClockRatio {
  std::uint64_t multiplier = 1, divisor = 1;
  std::uint64_t to_local(std::uint64_t base) const;
  std::uint64_t to_base(std::uint64_t local) const;
};
// From TraceInfo::clock_domain; 1/1 where it says nothing.
ClockRatio clock_ratio(std::string_view clock_domain);

// Whether anything is to be cut at all.
bool has_trigger(const TriggerOptions& trigger);

// `reader` without what `options.trigger` leaves out. `options` names the
// files that symbols are looked up in. Fails if a symbol is not there, or if
// the trace does not have what a point needs. `path` is that of the trace: with
// windows, which of the files that these were found in.
std::unique_ptr<TraceReader> cut_by_trigger(std::unique_ptr<TraceReader> reader,
                                            const TraceOptions& options,
                                            std::string_view path = "");

// When harts start and stop together: the times at which tracing is on. On the
// hart that was the reason the instruction counts, on others the cycle. Files
// that are not named by hart all begin with hart 0, so a hart is one of a file.
class TraceWindows {
 public:
  static constexpr std::uint32_t kNoInput = UINT32_MAX;
  struct Edge {
    std::uint64_t base_cycle = 0;
    std::uint32_t input = kNoInput;  // the number of its file
    std::uint32_t hart = 0;
    std::uint64_t ordinal = 0;  // of the instruction, among those of its hart
  };
  struct Window {
    Edge from, until;
    bool ended = false;  // until the end otherwise
  };
  TraceWindows(std::vector<std::string> paths, std::vector<Window> windows)
      : paths_(std::move(paths)), windows_(std::move(windows)) {}
  std::span<const Window> windows() const { return windows_; }
  // kNoInput for a path that they were not found in.
  std::uint32_t input_of(std::string_view path) const;

 private:
  std::vector<std::string> paths_;
  std::vector<Window> windows_;  // by time, not overlapping
};

// Reads the traces in these files from beginning to end to find the windows.
// Not for pipes, which cannot be read again.
std::shared_ptr<const TraceWindows> find_windows(
    std::span<const std::string> paths, std::string_view format_name,
    const TraceOptions& options);

}  // namespace wick

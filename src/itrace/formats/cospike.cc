// SPDX-License-Identifier: Apache-2.0
// Traces of FireSim's Cospike bridge (+cospike-trace), the only ones of stock
// FireSim that say which instructions trapped:
//
//   0 1403 ffffffff80002a1c 1 0 0 1 0 8000
//   ↑ ↑    ↑                ↑ ↑ ↑ ↑ ↑ value written
//   ↑ ↑    ↑                ↑ ↑ ↑ ↑ cause
//   ↑ ↑    ↑                ↑ ↑ ↑ a register is written
//   ↑ ↑    ↑                ↑ ↑ interrupt
//   ↑ ↑    pc, sign-extended  ↑ ↑ exception, for interrupts too
//   ↑ cycle                 valid
//   hart
//
// BOOM writes lines that are exceptions but not valid, with the pc of the
// oldest instruction in flight, which may be a different one. They are left
// out.

#include <memory>

#include "itrace/formats/line_trace.h"

namespace wick {
namespace {

struct CospikeLine {
  std::uint64_t hart = 0, cycle = 0, pc = 0, cause = 0;
  bool valid = false, exception = false, interrupt = false;
};

bool parse_cospike(std::string_view text, CospikeLine& line) {
  LineCursor cursor(text);
  std::uint64_t value = 0;
  const auto flag = [&](bool& result) {
    const bool found = cursor.decimal(value) && value <= 1 && cursor.text(" ");
    result = value != 0;
    return found;
  };
  bool writes = false;
  if (!cursor.decimal(line.hart) || !cursor.text(" ") ||
      !cursor.decimal(line.cycle) || !cursor.text(" "))
    return false;
  cursor.text("0x");
  if (!cursor.hex(line.pc) || !cursor.text(" ") || !flag(line.valid) ||
      !flag(line.exception) || !flag(line.interrupt) || !flag(writes) ||
      !cursor.decimal(line.cause) || !cursor.text(" "))
    return false;
  cursor.text("0x");
  return cursor.hex(value) && cursor.at_end();
}

bool sniff_cospike(std::string_view head) {
  CospikeLine line;
  return any_head_line(head, 1, [&](std::string_view text) {
    return parse_cospike(text, line);
  });
}

class CospikeReader final : public LineTraceReader {
 public:
  explicit CospikeReader(InputFile& file) : LineTraceReader(file) {
    info_.has_traps = true;
    info_.layout = "text of Cospike";
  }

 private:
  bool read_line(std::string_view text) override {
    CospikeLine line;
    if (!parse_cospike(text, line) || line.hart > UINT32_MAX) return false;
    HartBlocks::Hart* hart = harts_.hart(static_cast<std::uint32_t>(line.hart));
    if (hart == nullptr) return false;
    const bool traps = line.exception || line.interrupt;
    const std::uint64_t cause = line.cause & INT64_MAX;
    if (line.valid) {
      harts_.add(*hart, line.cycle, line.pc);
      if (traps) harts_.mark_trap(*hart, line.interrupt, cause);
    } else if (traps) {
      harts_.mark_trap_between(*hart, line.interrupt, cause);
    }
    return true;
  }
};

}  // namespace

extern const TraceFormat cospike_trace = {
    .name = "cospike",
    .description = "traces of FireSim's Cospike bridge",
    .evidence = TraceFormat::Evidence::kText,
    .sniff = sniff_cospike,
    .open =
        [](InputFile& file, const TraceOptions&) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<CospikeReader>(file));
        },
};

}  // namespace wick

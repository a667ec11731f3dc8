// SPDX-License-Identifier: Apache-2.0
// What a simulated Rocket prints with +verbose, in Verilator or VCS
// (RocketCore.scala); spike-dasm replaces DASM(…) by the instruction's text:
//
//   C0:       7564 [1] pc=[0000000080000040] W[r 5=0000000080000040][1]
//   ↑         ↑     ↑                        R[r 0=…] R[r 0=…]
//   hart      cycle retired                  inst=[00000297] DASM(00000297)
//
// (one line). FireSim 1.9 begins its lines alike, but with a word and ",
// cycle:" after the hart (tracerv_text.cc).
//
// Since March 2020 there is a line for each instruction that retired, and one
// with [0] for each that trapped. Before that there is a line for every cycle,
// and [0] mostly means that the pipeline had nothing to retire. The next line
// of the hart shows which it was: after a trap, the pipeline is empty for some
// cycles, so a line of the very next cycle belongs to a log of every cycle.
//
// The same file usually has the output of the simulator and of the simulated
// program, even within a line. Lines that do not resemble the log are skipped.
#include <memory>
#include <optional>
#include <vector>

#include "itrace/formats/line_trace.h"

namespace wick {
namespace {

struct RocketLine {
  std::uint64_t hart = 0, cycle = 0, pc = 0, bits = 0;
  bool retired = false;
};

// "C0: " and the cycle, which is padded with blanks.
bool parse_start(LineCursor& cursor, RocketLine& line) {
  if (!cursor.text("C")) return false;
  cursor.blanks();
  if (!cursor.decimal(line.hart) || !cursor.text(": ")) return false;
  cursor.blanks();
  return cursor.decimal(line.cycle);
}

bool parse_rocket(std::string_view text, RocketLine& line) {
  LineCursor cursor(text);
  if (!parse_start(cursor, line) || !cursor.text(" [")) return false;
  line.retired = cursor.text("1");
  if (!line.retired && !cursor.text("0")) return false;
  if (!cursor.text("] pc=[") || !cursor.wire_pc(line.pc) || !cursor.text("]"))
    return false;
  // Versions differ in what they print of the registers.
  constexpr std::string_view kBits = " inst=[";
  const std::string_view rest = cursor.rest();
  const std::size_t at = rest.find(kBits);
  if (at == rest.npos) return false;
  // Two lines with something missing between them are not one.
  if (rest.substr(0, at).find("pc=[") != rest.npos) return false;
  LineCursor after(rest.substr(at + kBits.size()));
  return after.hex(line.bits) && line.bits >> 32 == 0 && after.text("]");
}

// The console's line may not have ended where the log's begins.
std::string_view without_console(std::string_view text) {
  const std::size_t pc = text.find("] pc=[");
  if (pc == text.npos) return {};
  const std::size_t start = text.rfind('C', pc);
  return start == text.npos ? std::string_view{} : text.substr(start);
}

bool find_rocket(std::string_view text, RocketLine& line) {
  return parse_rocket(text, line) || parse_rocket(without_console(text), line);
}

bool resembles_rocket(std::string_view text) {
  LineCursor cursor(text);
  RocketLine line;
  return parse_start(cursor, line) || text.find("pc=[") != text.npos ||
         text.find("inst=[") != text.npos;
}

// The simulator and the program may print many lines before the first one.
constexpr int kSniffedLines = 1000;

bool sniff_rocket(std::string_view head) {
  return any_head_line(head, kSniffedLines, [](std::string_view text) {
    RocketLine line;
    return find_rocket(text, line);
  });
}

// Whether a hart has no line for some cycle.
bool leaves_out_cycles(std::string_view head) {
  std::optional<RocketLine> last;
  return any_head_line(head, kSniffedLines, [&](std::string_view text) {
    RocketLine line;
    if (!parse_rocket(text, line) || (last && line.hart != last->hart))
      return false;
    const bool gap = last && line.cycle > last->cycle + 1;
    last = line;
    return gap;
  });
}

class RocketReader final : public LineTraceReader {
 public:
  explicit RocketReader(InputFile& file) : LineTraceReader(file) {
    info_.has_bits = true;
    info_.has_traps = leaves_out_cycles(file.head());
    info_.layout = "log of a simulated Rocket";
  }

 private:
  bool read_line(std::string_view text) override {
    RocketLine line;
    if (!find_rocket(text, line)) return !resembles_rocket(text);
    if (line.hart >= kMaxHarts) return false;
    HartBlocks::Hart& hart =
        *harts_.hart(static_cast<std::uint32_t>(line.hart));
    if (line.hart >= not_retired_.size()) not_retired_.resize(line.hart + 1);
    std::optional<RocketLine>& before = not_retired_[line.hart];
    if (before && line.cycle > before->cycle + 1) {
      add(hart, *before);
      harts_.mark_trap(hart, false, 0);
    }
    before.reset();
    if (line.retired)
      add(hart, line);
    else
      before = line;
    return true;
  }

  void add(HartBlocks::Hart& hart, const RocketLine& line) {
    harts_.add(hart, line.cycle, line.pc,
               static_cast<std::uint32_t>(line.bits));
  }

  // By hart: its last line, if nothing retired.
  std::vector<std::optional<RocketLine>> not_retired_;
};

}  // namespace

extern const TraceFormat rocket_trace = {
    .name = "rocket",
    .description = "logs of Rocket in Verilator or VCS (+verbose)",
    .evidence = TraceFormat::Evidence::kText,
    .sniff = sniff_rocket,
    .open =
        [](InputFile& file, const TraceOptions&) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<RocketReader>(file));
        },
};

}  // namespace wick

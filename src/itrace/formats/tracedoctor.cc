// SPDX-License-Identifier: Apache-2.0
// The CSV of TraceDoctor's "tracerv" worker: one line per cycle, one column per
// commit slot, 0 where nothing was committed.
//
//   cycle;instr0;instr1;instr2
//   1403;0x80002a1c;0x80002a20;0x0
#include <memory>

#include "itrace/formats/line_trace.h"
#include "itrace/formats/tracerv_layout.h"

namespace wick {
namespace {

constexpr std::string_view kHeader = "cycle;instr0";

// The pcs of a line, at most `kMaxSlots`.
constexpr int kMaxSlots = 32;

struct TracedoctorLine {
  std::uint64_t cycle = 0;
  std::uint64_t pcs[kMaxSlots] = {};
  int count = 0;
};

bool number(LineCursor& cursor, std::uint64_t& value) {
  return cursor.text("0x") ? cursor.hex(value) : cursor.decimal(value);
}

bool parse_tracedoctor(std::string_view text, TracedoctorLine& line) {
  LineCursor cursor(text);
  line.count = 0;
  if (!number(cursor, line.cycle)) return false;
  while (cursor.text(";")) {
    if (cursor.at_end()) break;  // a separator at the end of the line
    if (line.count == kMaxSlots || !number(cursor, line.pcs[line.count]))
      return false;
    ++line.count;
  }
  return line.count > 0 && cursor.at_end();
}

bool sniff_tracedoctor(std::string_view head) {
  if (head.starts_with(kHeader)) return true;
  int lines = 0;
  return any_head_line(head, 2, [&](std::string_view text) {
    TracedoctorLine line;
    if (!parse_tracedoctor(text, line) || text.find(";0x") == text.npos)
      return false;
    return ++lines == 2;
  });
}

class TracedoctorReader final : public LineTraceReader {
 public:
  explicit TracedoctorReader(InputFile& file)
      : LineTraceReader(file), hart_(hart_of_name(file.name())) {
    info_.pc_bits = 40;
    info_.layout = "CSV of TraceDoctor";
    // A number at the end of a part may be cut off, which only makes it
    // smaller.
    visit_some_lines(file, [&](std::string_view text) {
      if (!parse_tracedoctor(text, line_)) return;
      for (int i = 0; i < line_.count; ++i) pcs_seen_ |= line_.pcs[i];
    });
    grow_pc_bits();
  }

 private:
  bool read_line(std::string_view text) override {
    if (text.empty() || text.starts_with(kHeader)) return true;
    HartBlocks::Hart* hart = harts_.hart(hart_);
    if (!parse_tracedoctor(text, line_) || hart == nullptr) return false;
    for (int i = 0; i < line_.count; ++i) {
      if (line_.pcs[i] == 0) continue;
      pcs_seen_ |= line_.pcs[i];
      harts_.add(*hart, line_.cycle, line_.pcs[i]);
    }
    return true;
  }

  std::uint32_t hart_;
  // A member, because zeroing all its slots takes a good part of the time to
  // read a line.
  TracedoctorLine line_;
};

}  // namespace

extern const TraceFormat tracedoctor_trace = {
    .name = "tracedoctor",
    .description = "CSV of TraceDoctor's tracerv worker",
    .evidence = TraceFormat::Evidence::kText,
    .sniff = sniff_tracedoctor,
    .open =
        [](InputFile& file, const TraceOptions&) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<TracedoctorReader>(file));
        },
};

}  // namespace wick

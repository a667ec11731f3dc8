// SPDX-License-Identifier: Apache-2.0
// The log of QEMU's plugin execlog: a line for each instruction, with the
// memory that it touched and, with the plugin's option reg=, the registers that
// it changed:
//
//   0, 0x80002a1c, 0x18051073, "csrw satp,a0", satp -> 0x8000000000081234
//   ↑  ↑           ↑ instruction
//   ↑  pc
//   CPU
//
// satp, priv and tp are used. There is no clock: each instruction is one unit
// of time of its CPU.
#include <memory>

#include "itrace/formats/line_trace.h"

namespace wick {
namespace {

struct ExeclogLine {
  std::uint64_t cpu = 0, pc = 0, bits = 0;
  std::string_view rest;  // after the disassembly
};

bool parse_execlog(std::string_view text, ExeclogLine& line) {
  LineCursor cursor(text);
  if (!cursor.decimal(line.cpu) || !cursor.text(", ") ||
      !cursor.prefixed_hex(line.pc) || !cursor.text(", ") ||
      !cursor.prefixed_hex(line.bits) || !cursor.text(", \""))
    return false;
  const std::size_t end = cursor.rest().find('"');
  if (end == std::string_view::npos) return false;
  line.rest = cursor.rest().substr(end + 1);
  return true;
}

bool sniff_execlog(std::string_view head) {
  return any_head_line(head, 20, [](std::string_view text) {
    ExeclogLine line;
    return parse_execlog(text, line);
  });
}

class ExeclogReader final : public LineTraceReader {
 public:
  explicit ExeclogReader(InputFile& file) : LineTraceReader(file) {
    info_.has_bits = true;
    info_.has_satp = file.head().find(", satp -> 0x") != std::string_view::npos;
    info_.has_privilege =
        file.head().find(", priv -> 0x") != std::string_view::npos;
    info_.unit = "instructions";
    info_.layout = "log of QEMU's plugin execlog";
  }

 private:
  bool read_line(std::string_view text) override {
    ExeclogLine line;
    if (!parse_execlog(text, line) || line.cpu > UINT32_MAX ||
        line.bits >> 32 != 0)
      return text.empty();
    HartBlocks::Hart* hart = harts_.hart(static_cast<std::uint32_t>(line.cpu));
    if (hart == nullptr) return false;
    harts_.add(*hart, hart->count, line.pc,
               static_cast<std::uint32_t>(line.bits));
    if (line.rest.find("->") != std::string_view::npos)
      take_registers(*hart, line.rest);
    return true;
  }

  // What an instruction changes applies from the next one on.
  void take_registers(HartBlocks::Hart& hart, std::string_view rest) {
    ContextChange context = hart.context;
    while (!rest.empty()) {
      LineCursor cursor(trim(take_until(rest, ',')));
      std::uint64_t value;
      if (cursor.text("satp -> ")) {
        if (!cursor.prefixed_hex(value)) continue;
        context.has_satp = true;
        context.satp = value;
      } else if (cursor.text("priv -> ")) {
        if (cursor.prefixed_hex(value)) context.privilege = privilege_of(value);
      } else if (cursor.text("tp -> ") || cursor.text("x4/tp -> ")) {
        if (!cursor.prefixed_hex(value)) continue;
        context.has_thread_pointer = true;
        context.thread_pointer = value;
      }
    }
    harts_.set_context(hart, context);
  }
};

}  // namespace

extern const TraceFormat execlog_trace = {
    .name = "execlog",
    .description = "log of QEMU's execlog plugin",
    .evidence = TraceFormat::Evidence::kText,
    .sniff = sniff_execlog,
    .open =
        [](InputFile& file, const TraceOptions&) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<ExeclogReader>(file));
        },
};

}  // namespace wick

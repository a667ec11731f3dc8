// SPDX-License-Identifier: Apache-2.0
// The logs of Spike, the RISC-V simulator. With -l, it writes a line before it
// executes an instruction, and then what happened to it:
//
//   core   0: 0xffffffff80002a1c (0x00000073) ecall
//   core   0: exception trap_supervisor_ecall, epc 0xffffffff80002a1c
//   core   0:           tval 0x0000000000000000
//   core   0: >>>>  some_function
//
// With --log-commits, it writes a line for each instruction that retired, with
// its privilege and what it wrote:
//
//   core   0: 1 0xffffffff80002a20 (0x18051073) c384_satp 0x8000000000081234
//
// With both, the lines of -l are used only where the instruction trapped. Spike
// has no clock: each instruction is one unit of time of its core.
#include <memory>
#include <optional>

#include "itrace/formats/line_trace.h"

namespace wick {
namespace {

struct SpikeLine {
  enum class Kind { kExecuted, kCommitted, kException, kOther };
  Kind kind = Kind::kOther;
  std::uint64_t core = 0, privilege = 0, pc = 0, bits = 0;
  std::string_view rest;  // kCommitted: what was written; kException: its name
};

bool parse_instruction(LineCursor& cursor, SpikeLine& line) {
  return cursor.prefixed_hex(line.pc) && cursor.text(" (") &&
         cursor.prefixed_hex(line.bits) && cursor.text(")");
}

bool parse_spike(std::string_view text, SpikeLine& line) {
  LineCursor cursor(text);
  if (!cursor.text("core")) return false;
  cursor.blanks();
  if (!cursor.decimal(line.core) || !cursor.text(": ")) return false;
  if (cursor.text("exception ")) {
    line.kind = SpikeLine::Kind::kException;
    std::string_view rest = cursor.rest();
    line.rest = take_until(rest, ',');
    LineCursor after(rest);
    return after.text(" epc ") && after.prefixed_hex(line.pc);
  }
  if (cursor.text(">>>>") || cursor.rest().starts_with(' ')) return true;
  line.kind = SpikeLine::Kind::kExecuted;
  if (cursor.decimal(line.privilege) && cursor.text(" "))
    line.kind = SpikeLine::Kind::kCommitted;
  else  // the 0 of "0x…" was taken for a privilege
    cursor = LineCursor(text.substr(text.find(": ") + 2));
  if (!parse_instruction(cursor, line)) return false;
  line.rest = cursor.rest();
  return true;
}

// The value after ` NAME 0x`, with any number of blanks after NAME.
std::optional<std::uint64_t> written(std::string_view text,
                                     std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == text.npos || at == 0 || text[at - 1] != ' ') return {};
  LineCursor cursor(text.substr(at + name.size()));
  if (!cursor.text(" ")) return {};
  cursor.blanks();
  std::uint64_t value;
  if (!cursor.prefixed_hex(value)) return {};
  return value;
}

std::uint64_t cause_of(std::string_view name) {
  static constexpr std::string_view kNames[] = {
      "trap_instruction_address_misaligned",
      "trap_instruction_access_fault",
      "trap_illegal_instruction",
      "trap_breakpoint",
      "trap_load_address_misaligned",
      "trap_load_access_fault",
      "trap_store_address_misaligned",
      "trap_store_access_fault",
      "trap_user_ecall",
      "trap_supervisor_ecall",
      "trap_virtual_supervisor_ecall",
      "trap_machine_ecall",
      "trap_instruction_page_fault",
      "trap_load_page_fault",
      "",
      "trap_store_page_fault"};
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return i;
  std::uint64_t number = 0;
  const std::size_t mark = name.find('#');
  if (mark != name.npos) LineCursor(name.substr(mark + 1)).decimal(number);
  return number;
}

bool has_kind(std::string_view head, SpikeLine::Kind kind) {
  return any_head_line(head, 1000, [&](std::string_view text) {
    SpikeLine line;
    return parse_spike(text, line) && line.kind == kind;
  });
}

bool sniff_spike(std::string_view head) {
  return any_head_line(head, 20, [](std::string_view text) {
    SpikeLine line;
    return parse_spike(text, line) && line.kind != SpikeLine::Kind::kOther;
  });
}

class SpikeReader final : public LineTraceReader {
 public:
  explicit SpikeReader(InputFile& file)
      : LineTraceReader(file),
        has_commits_(has_kind(file.head(), SpikeLine::Kind::kCommitted)) {
    const bool is_log = has_kind(file.head(), SpikeLine::Kind::kExecuted);
    info_.has_bits = true;
    info_.has_privilege = info_.has_satp = has_commits_;
    info_.has_traps = is_log;
    info_.unit = "instructions";
    info_.layout = !has_commits_ ? "log of Spike (-l)"
                   : is_log      ? "log of Spike (-l --log-commits)"
                                 : "log of Spike (--log-commits)";
  }

 private:
  bool read_line(std::string_view text) override {
    SpikeLine line;
    if (!parse_spike(text, line) || line.core > UINT32_MAX) return text.empty();
    HartBlocks::Hart* hart = harts_.hart(static_cast<std::uint32_t>(line.core));
    if (hart == nullptr) return false;
    switch (line.kind) {
      case SpikeLine::Kind::kOther:
        return true;
      case SpikeLine::Kind::kCommitted:
        commit(*hart, line);
        return true;
      case SpikeLine::Kind::kExecuted:
        executed_ = line;
        if (!has_commits_) add(*hart, line);
        return true;
      case SpikeLine::Kind::kException:
        // An interrupt is taken between instructions.
        if (!line.rest.starts_with("trap_") || line.pc != executed_.pc ||
            line.core != executed_.core)
          return true;
        if (has_commits_) add(*hart, executed_);
        if (hart->count > 0)
          harts_.mark_trap(*hart, false, cause_of(line.rest));
        return true;
    }
    return false;
  }

  void add(HartBlocks::Hart& hart, const SpikeLine& line) {
    harts_.add(hart, hart.count, line.pc,
               static_cast<std::uint32_t>(line.bits));
  }

  // What an instruction writes applies from the next one on.
  void commit(HartBlocks::Hart& hart, const SpikeLine& line) {
    ContextChange context = hart.context;
    context.privilege = privilege_of(line.privilege);
    harts_.set_context(hart, context);
    add(hart, line);
    if (const auto satp = written(line.rest, "c384_satp")) {
      context.has_satp = true;
      context.satp = *satp;
    }
    if (const auto tp = written(line.rest, "x4")) {
      context.has_thread_pointer = true;
      context.thread_pointer = *tp;
    }
    harts_.set_context(hart, context);
  }

  bool has_commits_;
  SpikeLine executed_;  // its `rest` dangles
};

}  // namespace

extern const TraceFormat spike_trace = {
    .name = "spike",
    .description = "Spike logs (-l, --log-commits)",
    .evidence = TraceFormat::Evidence::kText,
    .sniff = sniff_spike,
    .open =
        [](InputFile& file, const TraceOptions&) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<SpikeReader>(file));
        },
};

}  // namespace wick

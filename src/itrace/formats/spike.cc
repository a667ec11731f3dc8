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
// With both, the lines of -l are used only where the instruction trapped.
//
// Simulated Rockets and BOOMs that are built with a commit log print such lines
// without the core, and a line when a register is written later:
//
//   3 0x0000000080000004 (0x0002b283) x 5 p 5 0xXXXXXXXXXXXXXXXX
//   x 5 p 5 0x0000000000000001
//
// None of them has a clock: each instruction is one unit of time of its core.
// Lines that do not resemble a log are what the simulator or the program
// printed, and skipped.
#include <memory>
#include <optional>

#include "itrace/formats/line_trace.h"

namespace wick {
namespace {

struct SpikeLine {
  enum class Kind { kExecuted, kCommitted, kException, kLateWrite, kOther };
  Kind kind = Kind::kOther;
  bool has_core = false;
  std::uint64_t core = 0, privilege = 0, pc = 0, bits = 0;
  // kCommitted, kLateWrite: what was written; kException: its name.
  std::string_view rest;
};

bool parse_instruction(LineCursor& cursor, SpikeLine& line) {
  return cursor.text("0x") && cursor.wire_pc(line.pc) && cursor.text(" (") &&
         cursor.prefixed_hex(line.bits) && cursor.text(")");
}

// Lines of Rocket and BOOM. Bit 2 of the privilege is debug mode.
bool parse_without_core(std::string_view text, SpikeLine& line) {
  LineCursor cursor(text);
  if (cursor.decimal(line.privilege)) {
    line.kind = SpikeLine::Kind::kCommitted;
    if (line.privilege > 7 || !cursor.text(" ")) return false;
    const std::size_t size = cursor.rest().size();
    if (!parse_instruction(cursor, line)) return false;
    line.rest = cursor.rest();
    // Hardware prints leading zeros.
    constexpr std::string_view kShortest = "0x80000000 (0x4501)";
    return size - line.rest.size() >= kShortest.size();
  }
  line.kind = SpikeLine::Kind::kLateWrite;
  if (!cursor.text("x") && !cursor.text("f")) return false;
  cursor.blanks();
  std::uint64_t number;
  if (!cursor.decimal(number)) return false;
  line.rest = cursor.rest();
  if (!cursor.text(" p")) return false;
  cursor.blanks();
  return cursor.decimal(number) && cursor.text(" ") &&
         cursor.prefixed_hex(number);
}

bool parse_spike(std::string_view text, SpikeLine& line) {
  LineCursor cursor(text);
  line.has_core = cursor.text("core");
  if (!line.has_core) return parse_without_core(text, line);
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

// The first line of `head` that shows which log it is: a simulator may print
// others before it.
std::optional<SpikeLine> first_instruction(std::string_view head) {
  SpikeLine line;
  const bool found = any_head_line(head, 1000, [&](std::string_view text) {
    line = {};
    return parse_spike(text, line) && line.kind != SpikeLine::Kind::kOther &&
           line.kind != SpikeLine::Kind::kLateWrite;
  });
  return found ? std::optional(line) : std::nullopt;
}

bool sniff_spike(std::string_view head) {
  return first_instruction(head).has_value();
}

// What the console printed before the log in the same line is left out.
std::string_view without_console_text(std::string_view text) {
  const std::size_t end = text.find(" (0x");
  if (end == text.npos) return {};
  const std::size_t pc = text.rfind(" 0x", end);
  return pc == text.npos || pc == 0 ? std::string_view{} : text.substr(pc - 1);
}

// Begins like a line of a log or contains an instruction.
bool resembles_spike(std::string_view text) {
  if (text.starts_with("core") || text.find(" (0x") != text.npos) return true;
  LineCursor cursor(text);
  std::uint64_t privilege;
  return cursor.decimal(privilege) && cursor.text(" 0x");
}

class SpikeReader final : public LineTraceReader {
 public:
  explicit SpikeReader(InputFile& file) : LineTraceReader(file) {
    const std::string_view head = file.head();
    const auto first = first_instruction(head);
    has_cores_ = !first || first->has_core;
    has_commits_ = has_kind(head, SpikeLine::Kind::kCommitted);
    const bool is_log = has_kind(head, SpikeLine::Kind::kExecuted);
    info_.has_bits = true;
    info_.has_privilege = has_commits_;
    info_.has_satp = has_commits_ && has_cores_;
    info_.has_traps = is_log;
    info_.unit = "instructions";
    info_.layout = !has_cores_     ? "commit log of a simulated core"
                   : !has_commits_ ? "log of Spike (-l)"
                   : is_log        ? "log of Spike (-l --log-commits)"
                                   : "log of Spike (--log-commits)";
  }

 private:
  bool parse(std::string_view text, SpikeLine& line) const {
    if (parse_spike(text, line)) return line.has_core == has_cores_;
    line = {};
    return !has_cores_ && parse_spike(without_console_text(text), line);
  }

  bool read_line(std::string_view text) override {
    SpikeLine line;
    if (!parse(text, line)) return !resembles_spike(text);
    if (line.core > UINT32_MAX) return false;
    HartBlocks::Hart* hart = harts_.hart(static_cast<std::uint32_t>(line.core));
    if (hart == nullptr) return false;
    switch (line.kind) {
      case SpikeLine::Kind::kOther:
        return true;
      case SpikeLine::Kind::kLateWrite:
        set_thread_pointer(*hart, written(line.rest, "p 4"));
        return true;
      case SpikeLine::Kind::kCommitted:
        commit(*hart, line);
        return true;
      case SpikeLine::Kind::kExecuted:
        executed_ = line;
        if (!has_commits_) add(*hart, line);
        return true;
      case SpikeLine::Kind::kException:
        add_trap(*hart, line);
        return true;
    }
    return false;
  }

  void add(HartBlocks::Hart& hart, const SpikeLine& line) {
    harts_.add(hart, hart.count, line.pc,
               static_cast<std::uint32_t>(line.bits));
  }

  // An interrupt is taken between instructions, and so is a fault of one that
  // could not be fetched.
  void add_trap(HartBlocks::Hart& hart, const SpikeLine& line) {
    const bool interrupt = !line.rest.starts_with("trap_");
    if (interrupt || line.pc != executed_.pc || line.core != executed_.core)
      return harts_.mark_trap_between(hart, interrupt, cause_of(line.rest));
    if (has_commits_) add(hart, executed_);
    if (hart.count > 0) harts_.mark_trap(hart, false, cause_of(line.rest));
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
    harts_.set_context(hart, context);
    set_thread_pointer(hart, written(line.rest, has_cores_ ? "x4" : "x 4"));
  }

  void set_thread_pointer(HartBlocks::Hart& hart,
                          std::optional<std::uint64_t> value) {
    if (!value) return;
    ContextChange context = hart.context;
    context.has_thread_pointer = true;
    context.thread_pointer = *value;
    harts_.set_context(hart, context);
  }

  bool has_cores_ = true;  // lines begin with "core 0:"
  bool has_commits_ = false;
  SpikeLine executed_;  // its `rest` dangles
};

}  // namespace

extern const TraceFormat spike_trace = {
    .name = "spike",
    .description =
        "Spike logs (-l, --log-commits), commit logs of BOOM, Rocket",
    .evidence = TraceFormat::Evidence::kText,
    .sniff = sniff_spike,
    .open =
        [](InputFile& file, const TraceOptions&) {
          return std::unique_ptr<TraceReader>(
              std::make_unique<SpikeReader>(file));
        },
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "builders/trace_builder.h"

#include <fmt/format.h>

#include <bitset>
#include <map>

#include "base/bytes.h"

namespace wick {
namespace {

using Kind = TracervLayout::Kind;
using Streams = TracervLayout::Streams;

std::uint64_t sign_extended(std::uint64_t pc) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(pc << 24) >> 24);
}

std::string bytes_of(const std::vector<std::uint64_t>& words) {
  std::string out;
  for (const std::uint64_t word : words) append_raw(out, word);
  return out;
}

// A bundle as its bits, the most significant one first.
std::string packed_bits(const Step* step) {
  if (step == nullptr) return std::string(126, '0');
  const auto bits = [](std::uint64_t value, std::size_t count) {
    return std::bitset<64>(value).to_string().substr(64 - count);
  };
  return "1" + bits(step->pc, 40) + bits(step->bits, 32) +
         bits(static_cast<std::uint64_t>(step->privilege), 3) +
         bits(step->exception, 1) + bits(step->interrupt, 1) +
         bits(step->cause, 8) + bits(0, 40);
}

std::string packed_beats(const Steps& steps, const TracervLayout& layout) {
  std::string out;
  std::size_t at = 0;
  for (std::uint64_t cycle = 0; at < steps.size(); ++cycle) {
    std::vector<const Step*> streams(static_cast<std::size_t>(layout.slots));
    for (std::size_t slot = 0; at < steps.size() && steps[at].cycle == cycle;
         ++at)
      streams[layout.streams == Streams::kSlots ? slot++ : steps[at].hart] =
          &steps[at];
    std::string bits;
    for (const Step* step : streams) bits += packed_bits(step);
    bits = std::string(512 - bits.size(), '0') + bits;
    std::vector<std::uint64_t> words;
    for (std::size_t word = 8; word-- > 0;)
      words.push_back(std::bitset<64>(bits.substr(word * 64, 64)).to_ullong());
    out += bytes_of(words);
  }
  return out;
}

std::string token_records(const Steps& steps, const TracervLayout& layout) {
  std::string out;
  for (const Step& step : steps) {
    std::vector<std::uint64_t> words = {
        step.cycle, step.pc | std::uint64_t{1} << layout.valid_bit, step.bits,
        step.satp, static_cast<std::uint64_t>(step.privilege)};
    words.resize(static_cast<std::size_t>(layout.words));
    out += bytes_of(words);
  }
  return out;
}

}  // namespace

std::string tracerv_records(const Steps& steps, const TracervLayout& layout) {
  if (layout.kind == Kind::kPacked) return packed_beats(steps, layout);
  if (layout.kind == Kind::kTokens) return token_records(steps, layout);
  const auto slots = static_cast<std::size_t>(layout.slots);
  const std::size_t first = layout.cycle_last ? 0 : 1;
  std::string out;
  for (std::size_t at = 0; at < steps.size();) {
    std::vector<std::uint64_t> words(static_cast<std::size_t>(layout.words));
    const std::uint64_t cycle = steps[at].cycle;
    words[layout.cycle_last ? words.size() - 1 : 0] = cycle;
    std::size_t filled = 0;
    while (at < steps.size() && steps[at].cycle == cycle && filled < slots) {
      std::size_t slot = filled++;
      if (layout.streams != Streams::kSlots) slot = steps[at].hart;
      if (layout.streams == Streams::kHartsReversed) slot = slots - 1 - slot;
      words[first + slot] = steps[at++].pc | std::uint64_t{1}
                                                 << layout.valid_bit;
    }
    out += bytes_of(words);
  }
  return out;
}

std::string tracerv_text(const Steps& steps) {
  std::string out(kClockHeader);
  std::uint64_t slot = 0, last = UINT64_MAX;
  for (const Step& step : steps) {
    slot = step.cycle == last ? slot + 1 : 0;
    last = step.cycle;
    out +=
        fmt::format("Cycle: {:016} I{}: {:016x}\n", step.cycle, slot, step.pc);
  }
  return out;
}

std::string tracerv_text_19(const Steps& steps) {
  std::string out;
  for (const Step& step : steps)
    out += fmt::format("C{}: {:016x}, cycle: {:016x}\n", step.hart,
                       step.pc | std::uint64_t{1} << 40, step.cycle);
  return out;
}

std::string as_beat_lines(const std::string& records) {
  std::string out;
  for (std::size_t at = 0; at < records.size(); at += 64) {
    for (int word = 8; word-- > 0;)
      out += fmt::format("{:016x}", word_at(records.data() + at, word));
    out += '\n';
  }
  return out;
}

std::string tracerv_logger(const Steps& steps) {
  std::string out;
  for (const Step& step : steps)
    out += fmt::format("{:016x}{:016x}\n", sign_extended(step.pc), step.cycle);
  return out;
}

std::string tracerv_user_text(const Steps& steps) {
  std::string out(kClockHeader);
  for (const Step& step : steps)
    out += fmt::format(
        "Cycle: {:016} I0: {:016x} Inst: {:016x} satp: {:016x} priv: {:016x}\n",
        step.cycle, sign_extended(step.pc), step.bits, step.satp,
        step.privilege);
  return out;
}

std::string cospike_text(const Steps& steps) {
  std::string out;
  for (const Step& step : steps)
    out += fmt::format("{} {} {:x} 1 {:d} {:d} 0 {} 0\n", step.hart, step.cycle,
                       step.pc, step.exception, step.interrupt, step.cause);
  return out;
}

std::string tracedoctor_text(const Steps& steps) {
  std::string out = "cycle;instr0;instr1;instr2";
  std::uint64_t last = UINT64_MAX;
  for (const Step& step : steps) {
    if (step.cycle != last) out += fmt::format("\n{}", step.cycle);
    last = step.cycle;
    out += fmt::format(";0x{:x}", step.pc);
  }
  return out + "\n";
}

std::string spike_log(const Steps& steps) {
  std::string out;
  for (const Step& step : steps) {
    out += fmt::format("core {:3}: 0x{:016x} (0x{:08x}) unknown\n", step.hart,
                       step.pc, step.bits);
    if (step.exception)
      out +=
          fmt::format("core {:3}: exception trap_user_ecall, epc 0x{:016x}\n",
                      step.hart, step.pc);
  }
  return out;
}

std::string spike_commits(const Steps& steps) {
  std::string out;
  for (const Step& step : steps)
    out += fmt::format("core {:3}: {} 0x{:016x} (0x{:0{}x})\n", step.hart,
                       step.privilege, step.pc, step.bits,
                       step.bits % 4 == 3 ? 8 : 4);
  return out;
}

std::string commit_log(const Steps& steps) {
  std::string out;
  for (const Step& step : steps)
    out += fmt::format("{} 0x{:016x} (0x{:0{}x})\n", step.privilege, step.pc,
                       step.bits, step.bits % 4 == 3 ? 8 : 4);
  return out;
}

std::string rocket_log(const Steps& steps) {
  std::string out;
  for (const Step& step : steps)
    out += fmt::format(
        "C{}: {:10} [{:d}] pc=[{:016x}] W[r 0={:016x}][0] R[r 0={:016x}] "
        "R[r 0={:016x}] inst=[{:08x}] DASM({:08x})\n",
        step.hart, step.cycle, !step.exception && !step.interrupt, step.pc, 0,
        0, 0, step.bits, step.bits);
  return out;
}

std::string execlog_text(const Steps& steps) {
  std::string out;
  for (const Step& step : steps)
    out += fmt::format("{}, 0x{:x}, 0x{:x}, \"addi a0, a0, 1\"\n", step.hart,
                       step.pc, step.bits);
  return out;
}

std::string trace_csv(const Steps& steps) {
  std::string out =
      "VALID,ADDRESS,INSN,PRIVILEGE,EXCEPTION,ECAUSE,TVAL,INTERRUPT\n";
  for (const Step& step : steps)
    out +=
        fmt::format("1,{:x},{:x},{},{:d},{:x},0,{:d}\n", step.pc, step.bits,
                    step.privilege, step.exception, step.cause, step.interrupt);
  return out;
}

std::string rvfi_csv(const Steps& steps) {
  std::string out = "order,insn,trap,mode,pc_rdata,cycle,hart\n";
  for (const Step& step : steps)
    out += fmt::format("0,{:08x},{:d},{},{:016x},{},{}\n", step.bits,
                       step.exception, step.privilege, step.pc, step.cycle,
                       step.hart);
  return out;
}

ReadTrace read_trace(std::string bytes, std::string_view format,
                     const TraceOptions& options, const std::string& name) {
  InputFile file = InputFile::from_memory(name, std::move(bytes));
  const auto reader = open_trace(file, format, options);
  ReadTrace result;
  TraceBlock block;
  while (reader->next(block)) result.blocks.push_back(block);
  result.info = reader->info();
  result.diagnostics = reader->diagnostics();
  return result;
}

std::string ReadTrace::text() const {
  std::string out;
  for (const Step& step : steps()) {
    if (!out.empty()) out += ' ';
    if (step.is_after_trap) out += '!';
    if (step.hart != 0) out += fmt::format("{}/", step.hart);
    out += fmt::format("{}:{:x}", step.cycle, step.pc);
    if (step.exception) out += '!';
  }
  return out;
}

Steps ReadTrace::steps() const {
  Steps steps;
  std::map<std::uint32_t, ContextChange> contexts;
  for (const TraceBlock& block : blocks) {
    auto context = block.contexts.begin();
    auto trap = block.traps.begin();
    for (std::uint32_t i = 0; i < block.instructions.size(); ++i) {
      while (context != block.contexts.end() && context->from == i)
        contexts[block.hart] = *context++;
      const ContextChange& now = contexts[block.hart];
      Step step{.cycle = block.instructions[i].cycle,
                .pc = block.instructions[i].pc,
                .privilege = static_cast<int>(now.privilege),
                .satp = now.satp,
                .hart = block.hart};
      if (!block.bits.empty()) step.bits = block.bits.at(i);
      for (; trap != block.traps.end() && trap->at == i; ++trap) {
        (trap->is_before ? step.is_after_trap : step.exception) = true;
        step.interrupt = trap->interrupt;
        step.cause = trap->cause;
      }
      steps.push_back(step);
    }
  }
  return steps;
}

}  // namespace wick

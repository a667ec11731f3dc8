// SPDX-License-Identifier: Apache-2.0
// Converts any trace to a wick trace. Execution is cut into blocks wherever it
// does not continue sequentially and after every instruction that may transfer
// control, so that most code is defined once.
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "itrace/formats/wick_trace.h"
#include "itrace/formats/wick_trace_writer.h"

namespace wick {
namespace {

using namespace wick_trace;

// Branches, jumps, calls and returns, and system instructions.
bool may_jump(std::uint32_t bits) {
  if ((bits & 3) == 3) {
    const std::uint32_t opcode = bits & 0x7f;
    return opcode == 0x63 || opcode == 0x67 || opcode == 0x6f || opcode == 0x73;
  }
  const std::uint32_t top = bits >> 13 & 7;
  if ((bits & 3) == 1) return top >= 5;  // c.j, c.beqz, c.bnez
  return (bits & 3) == 2 && top == 4 &&
         (bits >> 2 & 0x1f) == 0;  // c.jr, c.jalr
}

class Converter {
 public:
  Converter(TraceReader& reader, WickTraceWriter& writer)
      : info_(reader.info()), writer_(writer) {}

  void add(const TraceBlock& block);
  void end() {
    for (auto& [hart, state] : harts_) state.out->end_chunk();
    writer_.flush();
  }

 private:
  struct Hart {
    std::unique_ptr<WickTraceHart> out;
  };

  // Instructions first..last of `block` as one block.
  void emit(Hart& hart, const TraceBlock& block, std::size_t first,
            std::size_t last);

  const TraceInfo& info_;
  WickTraceWriter& writer_;
  std::map<std::uint32_t, Hart> harts_;
  std::string code_;
  // Recently seen code, by pc: looking it up in the writer costs several times
  // as much.
  struct Recent {
    std::uint64_t pc = 0;
    std::uint32_t id = 0;
    std::string code;
  };
  std::vector<Recent> recent_ = std::vector<Recent>(1 << 14);
};

void Converter::emit(Hart& hart, const TraceBlock& block, std::size_t first,
                     std::size_t last) {
  const auto& rows = block.instructions;
  code_.clear();
  for (std::size_t i = first; i <= last; ++i) {
    if (info_.has_bits) {
      const std::uint32_t bits = block.bits[i];
      code_.append(reinterpret_cast<const char*>(&bits), riscv_size(bits));
    } else {
      const bool large = i != last && rows[i + 1].pc - rows[i].pc == 4;
      code_.push_back(large ? 4 : 2);
    }
  }
  const std::uint64_t pc = rows[first].pc;
  Recent& recent = recent_[(pc >> 1) % recent_.size()];
  if (recent.pc != pc || recent.code != code_)
    recent = {pc, writer_.define(pc, code_), code_};
  if (info_.unit == "cycles")
    for (std::size_t i = first; i <= last; ++i) hart.out->cycle(rows[i].cycle);
  hart.out->block(recent.id, static_cast<std::uint32_t>(last - first + 1));
}

void Converter::add(const TraceBlock& block) {
  Hart& hart = harts_[block.hart];
  if (!hart.out)
    hart.out = std::make_unique<WickTraceHart>(
        writer_, block.hart,
        block.instructions.empty() ? 0 : block.instructions[0].cycle);
  if (block.after_gap) hart.out->gap();
  auto context = block.contexts.begin();
  auto trap = block.traps.begin();
  auto fact = block.facts.begin();
  const auto& rows = block.instructions;
  const std::size_t count = rows.size();
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (; fact != block.facts.end() && fact->from <= i; ++fact)
      hart.out->fact(*fact);
    for (; context != block.contexts.end() && context->from <= i; ++context)
      hart.out->context(*context);
    const auto traps_before = [&](std::size_t at) {
      return trap != block.traps.end() && trap->is_before && trap->at == at;
    };
    for (; traps_before(i); ++trap)
      hart.out->trap_between(trap->interrupt, trap->cause);
    const bool traps =
        trap != block.traps.end() && !trap->is_before && trap->at == i;
    const std::uint64_t size = i + 1 < count ? rows[i + 1].pc - rows[i].pc : 0;
    const bool straight = info_.has_bits ? size == riscv_size(block.bits[i]) &&
                                               !may_jump(block.bits[i])
                                         : size == 2 || size == 4;
    const bool row_follows =
        traps_before(i + 1) ||
        (context != block.contexts.end() && context->from == i + 1) ||
        (fact != block.facts.end() && fact->from == i + 1);
    if (straight && !traps && !row_follows && i + 1 - first < 64) continue;
    if (traps) {
      hart.out->trap(trap->interrupt, trap->cause);
      ++trap;
    }
    emit(hart, block, first, i);
    first = i + 1;
  }
}

}  // namespace

void write_wick_trace(TraceReader& reader,
                      const std::function<void(std::string_view)>& sink) {
  // Some readers learn the width of pcs only while reading.
  TraceBlock block;
  bool any = reader.next(block);
  const TraceInfo& info = reader.info();
  WickTraceHeader header;
  header.pc_bits = static_cast<std::uint8_t>(info.pc_bits);
  header.flags = (info.has_bits ? kHasBits : 0) |
                 (info.has_privilege ? kHasPrivilege : 0) |
                 (info.has_satp ? kHasSatp : 0) |
                 (info.has_traps ? kHasTraps : 0) |
                 (info.unit == "cycles" ? kInCycles | kTimed : 0);
  if (!info.clock_domain.empty())
    header.info = "clock=" + info.clock_domain + "\n";
  WickTraceWriter writer(sink, header);
  Converter converter(reader, writer);
  for (; any; any = reader.next(block)) converter.add(block);
  converter.end();
}

}  // namespace wick

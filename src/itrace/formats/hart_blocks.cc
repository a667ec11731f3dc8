// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/hart_blocks.h"

#include <utility>

namespace wick {

bool correct_last_cycle(std::span<Retired> instructions, std::uint64_t next) {
  if (instructions.empty()) return false;
  const std::uint64_t wrong = instructions.back().cycle;
  std::size_t begin = instructions.size();
  while (begin > 0 && instructions[begin - 1].cycle == wrong) --begin;
  if (begin == 0 || instructions[begin - 1].cycle > next) return false;
  for (Retired& one : instructions.subspan(begin))
    one.cycle = instructions[begin - 1].cycle;
  return true;
}

bool HartBlocks::correct_last_cycles(std::uint64_t wrong, std::uint64_t next) {
  bool any = false;
  for (Hart& hart : harts_) {
    if (hart.last_cycle != wrong) continue;
    if (!correct_last_cycle(hart.block.instructions, next)) return false;
    hart.last_cycle = hart.block.instructions.back().cycle;
    any = true;
  }
  return any;
}

HartBlocks::Hart* HartBlocks::hart(std::uint32_t number) {
  if (number >= TraceReader::kMaxHarts) return nullptr;
  if (number >= by_number_.size()) by_number_.resize(number + 1);
  std::uint32_t& index = by_number_[number];
  if (index == 0) {
    harts_.emplace_back().block.hart = number;
    index = static_cast<std::uint32_t>(harts_.size());
  }
  return &harts_[index - 1];
}

void HartBlocks::mark_trap(Hart& hart, bool interrupt, std::uint64_t cause) {
  if (hart.block.instructions.empty()) return;
  std::vector<TrapMark>& traps = hart.block.traps;
  const std::uint32_t at = hart.size() - 1;
  if (!traps.empty() && traps.back().handled_from() == at + 1) return;
  traps.push_back({.at = at, .interrupt = interrupt, .cause = cause});
}

void HartBlocks::mark_trap_between(Hart& hart, bool interrupt,
                                   std::uint64_t cause) {
  hart.trap = {.interrupt = interrupt, .cause = cause, .is_before = true};
  hart.has_rows = true;
}

void HartBlocks::set_context(Hart& hart, const ContextChange& context) {
  const ContextChange& last = hart.context;
  if (context.privilege == last.privilege &&
      context.has_satp == last.has_satp && context.satp == last.satp &&
      context.has_thread_pointer == last.has_thread_pointer &&
      context.thread_pointer == last.thread_pointer)
    return;
  hart.context = context;
  hart.context_changed = hart.has_rows = true;
}

void HartBlocks::put_rows(Hart& hart) {
  if (std::exchange(hart.context_changed, false)) {
    hart.context.from = hart.size();
    hart.block.contexts.push_back(hart.context);
  }
  if (hart.trap) {
    hart.trap->at = hart.size();
    hart.block.traps.push_back(*hart.trap);
    hart.trap.reset();
  }
  hart.has_rows = false;
}

bool HartBlocks::give(TraceBlock& block) {
  for (; giving_ < harts_.size(); ++giving_) {
    TraceBlock& held = harts_[giving_].block;
    if (held.instructions.empty()) continue;
    const std::uint32_t number = held.hart;
    block.clear();
    std::swap(block, held);
    held.hart = number;
    held_ -= block.instructions.size();
    ++giving_;
    return true;
  }
  giving_ = 0;
  return false;
}

}  // namespace wick

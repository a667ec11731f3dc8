// SPDX-License-Identifier: Apache-2.0
#include "itrace/formats/hart_blocks.h"

#include <utility>

namespace wick {

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

// SPDX-License-Identifier: Apache-2.0
// Signals: the kernel makes a program continue in a handler, which returns to a
// few instructions (in the vDSO) whose system call makes the program continue
// where it was. If the kernel is not in the trace, the program seems to jump by
// itself.
#include <algorithm>
#include <vector>

#include "itrace/stacks/call_stack.h"

namespace wick {
namespace {

constexpr std::size_t kMaxFramesSearched = 1024;  // frames
constexpr std::size_t kMaxHandlers = 64;          // remembered
constexpr std::uint32_t kSigreturn = 0x08b00893;  // li a7, 139 before the ecall

}  // namespace

// Whether a program is in a function that its last instruction cannot lead to.
// Timers fire anywhere; QEMU checks them only after jumps.
bool CallStack::is_signal() {
  if (from_.layer != Layer::kUser || !to_.is_entry()) return false;
  switch (from_.flow.kind()) {
    case FlowKind::kIndirectJump:
    case FlowKind::kIndirectCall:
      return std::ranges::find(signal_handlers_, to_.function) !=
             signal_handlers_.end();
    case FlowKind::kBranch:
    case FlowKind::kJump:
    case FlowKind::kCall:
      break;
    default:
      return false;
  }
  KnownJump& known = known_jumps_[from_.pc / 2 % known_jumps_.size()];
  if (known.page == from_.page && known.from == from_.pc && known.to == to_.pc)
    return false;
  if (leads_there() == false) return true;
  known = {from_.page, from_.pc, to_.pc};
  return false;
}

void CallStack::begin_signal() {
  if (to_.is_entry() && signal_handlers_.size() < kMaxHandlers &&
      std::ranges::find(signal_handlers_, to_.function) ==
          signal_handlers_.end())
    signal_handlers_.push_back(to_.function);
  push(Kind::kSignal);
}

// A return without a call: that of a handler.
bool CallStack::return_from_handler() {
  if (from_.layer != Layer::kUser) return false;
  const bool ends_signal =
      (how_.has_words ? how_.word : view_.word_at(to_.pc, *to_.page)) ==
      kSigreturn;
  if (top().kind != Kind::kSignal && !ends_signal) return false;
  // Out of the handler, into a function that it interrupted: longjmp.
  if (!ends_signal && to_.page->image != CodeImageId::kNone &&
      !to_.is_entry() && land_in_caller())
    return true;
  // A signal handler that was mistaken for a call.
  if (top().kind == Kind::kCall) top_frame().kind = Kind::kSignal;
  replace_top();
  top_frame().returned = true;
  return true;
}

// Back to what was to continue when the signal arrived.
bool CallStack::return_from_signal() {
  const std::vector<StackFrame>& frames = context_.frames;
  const std::size_t segment = segment_start();
  if (frames.size() == 1 && frames[0].returned) {
    pop_to(0);  // the signal arrived before the trace began
    return true;
  }
  for (std::size_t i = frames.size(), n = 0;
       i > segment && n < kMaxFramesSearched; --i, ++n) {
    if (frames[i - 1].kind != Kind::kSignal || i < 2) continue;
    const StackFrame signal = frames[i - 1];
    if (!signal.returned && !context_.leaves_signal &&
        !signal.resumes_at(to_.pc) &&
        (frames[i - 2].function != to_.function || !has_name(to_.function)))
      continue;
    pop_to(i - 1);
    go_back_to(signal);
    if (signal.resumes_at(to_.pc)) return true;
    if (is_signal()) {  // the next one
      begin_signal();
      return true;
    }
    // It may have arrived between a transfer and its target.
    switch (from_.flow.kind()) {
      case FlowKind::kCall:
      case FlowKind::kIndirectCall:
        push(Kind::kCall);
        break;
      case FlowKind::kReturn:
        function_return();
        break;
      case FlowKind::kBranch:
      case FlowKind::kJump:
      case FlowKind::kIndirectJump:
        jump();
        break;
      default:
        // Otherwise the handler changed the pc; correct_top() corrects the
        // function.
        if (to_.is_entry()) begin_signal();
        break;
    }
    return true;
  }
  return false;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Signals: the kernel makes a program continue in a handler, which returns to a
// few instructions (in the vDSO) whose system call makes the program continue
// where it was. If the kernel is not in the trace, the program seems to jump by
// itself.
#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "itrace/stacks/stack_tracker.h"

namespace wick {
namespace {

constexpr std::size_t kMaxFramesSearched = 1024;  // frames
constexpr std::size_t kMaxHandlers = 64;          // remembered
constexpr std::uint32_t kSigreturn = 0x08b00893;  // li a7, 139 before the ecall

}  // namespace

// The instruction in the file of `page`; 0 if not known.
std::uint32_t StackTracker::word_at(std::uint64_t pc,
                                    const CodePage& page) const {
  if (page.image == CodeImageId::kNone) return 0;
  const std::string_view text =
      map_.image(page.image)
          .text(page.elf_addr + pc % CodePage::kBytes, sizeof(std::uint32_t));
  std::uint32_t word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), text.size());
  return word;
}

// Whether a program is in a function that its last instruction cannot lead to.
// Timers fire anywhere; QEMU checks them only after jumps.
bool StackTracker::is_signal(std::uint64_t pc) {
  if (layer_ != Layer::kUser || !is_entry(pc)) return false;
  switch (flow_.kind()) {
    case FlowKind::kIndirectJump:
    case FlowKind::kIndirectCall:
      return std::ranges::find(signal_handlers_, next_function_) !=
             signal_handlers_.end();
    case FlowKind::kBranch:
    case FlowKind::kJump:
    case FlowKind::kCall:
      break;
    default:
      return false;
  }
  KnownJump& known = known_jumps_[pc_ / 2 % known_jumps_.size()];
  if (known.page == page_ && known.from == pc_ && known.to == pc) return false;
  if (leads_to(pc) == false) return true;
  known = {page_, pc_, pc};
  return false;
}

// Whether the last instruction jumps exactly to `pc`; nothing if its target is
// not known.
std::optional<bool> StackTracker::leads_to(std::uint64_t pc) const {
  const std::int32_t distance =
      riscv_distance(word_at(pc_, *page_), map_.xlen());
  if (distance == 0) return std::nullopt;
  const auto target = pc_ + static_cast<std::uint64_t>(std::int64_t{distance});
  return ((target ^ pc) & map_.pc_mask()) == 0;
}

void StackTracker::begin_signal(std::uint64_t pc) {
  if (is_entry(pc) && signal_handlers_.size() < kMaxHandlers &&
      std::ranges::find(signal_handlers_, next_function_) ==
          signal_handlers_.end())
    signal_handlers_.push_back(next_function_);
  push(Kind::kSignal, pc);
}

// A return without a call: that of a handler.
bool StackTracker::return_from_handler() {
  if (layer_ != Layer::kUser) return false;
  const std::uint64_t pc = block_->instructions[at_].pc;
  const bool ends_signal =
      (block_->bits.empty() ? word_at(pc, *next_page_) : block_->bits[at_]) ==
      kSigreturn;
  if (top().kind != Kind::kSignal && !ends_signal) return false;
  // Out of the handler, into a function that it interrupted: longjmp.
  if (!ends_signal && next_page_->image != CodeImageId::kNone &&
      !is_entry(pc) && land_in_caller())
    return true;
  // A signal handler that was mistaken for a call.
  if (top().kind == Kind::kCall) top().kind = Kind::kSignal;
  replace_top();
  top().returned = true;
  return true;
}

// Back to what was to continue when the signal arrived.
bool StackTracker::return_from_signal(std::uint64_t pc) {
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
    if (!signal.returned && !context_.leaves_signal && !signal.resumes_at(pc) &&
        (frames[i - 2].function != next_function_ || !has_name(next_function_)))
      continue;
    pop_to(i - 1);
    go_back_to(signal);
    if (signal.resumes_at(pc)) return true;
    if (is_signal(pc)) {  // the next one
      begin_signal(pc);
      return true;
    }
    // It may have arrived between a transfer and its target.
    switch (flow_.kind()) {
      case FlowKind::kCall:
      case FlowKind::kIndirectCall:
        push(Kind::kCall, pc);
        break;
      case FlowKind::kReturn:
        function_return(pc);
        break;
      case FlowKind::kBranch:
      case FlowKind::kJump:
      case FlowKind::kIndirectJump:
        jump(pc);
        break;
      default:
        // Otherwise the handler changed the pc; land() corrects the function.
        if (is_entry(pc)) begin_signal(pc);
        break;
    }
    return true;
  }
  return false;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Signals: the kernel makes a program go on in a handler, which returns to a
// few instructions (the vDSO's) whose system call makes the program go on where
// it was. The kernel may be in the trace or not; if not, the program jumps by
// itself.
#include <algorithm>
#include <cstring>

#include "itrace/stacks/stack_tracker.h"

namespace wick {
namespace {

constexpr std::size_t kMaxFramesSearched = 1024;  // frames that are looked at
constexpr std::size_t kMaxHandlers = 64;          // that are remembered
constexpr std::uint32_t kSigreturn = 0x08b00893;  // li a7, 139 before the ecall

}  // namespace

// The instruction of the page, as the trace or its file has it; 0: not known.
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

// A program is in a function where its last instruction cannot lead to. Timers
// strike anywhere; QEMU looks for them behind jumps alone.
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

// Whether the last instruction is a jump to this very place; nothing if its
// target is not known.
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

// A return that no call led to: the handler's.
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
  // The handler of a signal that was taken for a call.
  if (top().kind == Kind::kCall) top().kind = Kind::kSignal;
  replace_top();
  top().returned = true;
  return true;
}

// Back to what was to go on when the signal came.
bool StackTracker::return_from_signal(std::uint64_t pc) {
  const std::vector<StackFrame>& frames = context_.frames;
  const std::size_t segment = segment_start();
  if (frames.size() == 1 && frames[0].returned) {
    pop_to(0);  // the signal came before the trace began
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
    // It may have come between a transfer and where that leads to.
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
        // Else the handler changed it, and land() sees to the function.
        if (is_entry(pc)) begin_signal(pc);
        break;
    }
    return true;
  }
  return false;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Repairs for transfers that do not fit the stack. Each makes the smallest
// change that explains what was seen.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "itrace/stacks/stack_tracker.h"

namespace wick {
namespace {

// The most frames searched for one that fits. Real unwinding is far shallower,
// and a damaged trace must not cause a full search at every step.
constexpr std::size_t kMaxSearch = 1024;

// Compilers move code that is rarely executed, such as landing pads.
constexpr std::string_view kCold = ".cold";

// Kernel functions that end a thread. Compilers call them even at the end of a
// function, instead of jumping to them.
bool never_returns(std::string_view name) {
  constexpr std::array<std::string_view, 6> names = {
      "do_exit",      "do_group_exit", "make_task_dead",
      "kthread_exit", "do_task_dead",  "panic"};
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

// A return to an outer caller: the frames above were left without a return, by
// longjmp to where setjmp was called, or because a jump was mistaken for a
// call.
bool StackTracker::return_deeper(std::uint64_t pc) {
  const std::vector<StackFrame>& frames = context_.frames;
  const std::size_t segment = segment_start();
  for (std::size_t i = frames.size(), n = 0; i > segment && n < kMaxSearch;
       --i, ++n) {
    if (!frames[i - 1].returns_to(pc)) continue;
    counts_.unwound += frames.size() - i;
    pop_to(i - 1);
    return !frames.empty();
  }
  return false;
}

bool StackTracker::is_cold_part() const {
  return map_.function(next_function_).name.find(kCold) !=
         std::string_view::npos;
}

// Lands inside a function on the stack, but not after a call: in a landing pad
// of a C++ exception, or at the second return of setjmp.
bool StackTracker::land_in_caller() {
  if (!has_name(next_function_)) return false;  // could be any function
  std::string_view whole;
  if (is_cold_part()) {
    whole = map_.function(next_function_).name;
    whole = whole.substr(0, whole.find(kCold));
  }
  const std::vector<StackFrame>& frames = context_.frames;
  const std::size_t segment = std::max<std::size_t>(segment_start(), 1);
  for (std::size_t i = frames.size() - 1, n = 0;
       i + 1 > segment && i > 0 && n < kMaxSearch; --i, ++n) {
    const FunctionId function = frames[i - 1].function;
    if (function != next_function_ &&
        (whole.empty() || map_.function(function).name != whole))
      continue;
    if (i - 1 + 1 < segment_start()) return false;
    counts_.unwound += frames.size() - i;
    pop_to(i);
    return true;
  }
  return false;
}

// A new process returns from fork to the caller in its parent.
bool StackTracker::return_to_parent(std::uint64_t pc) {
  std::vector<StackFrame>& inherited = context_.inherited;
  if (inherited.empty() || layer_ != Layer::kUser ||
      context_.frames.size() != 1)
    return false;
  std::size_t i = inherited.size();
  while (i > 0 && !inherited[i - 1].returns_to(pc)) --i;
  if (i < 2) return false;
  adopt(std::span(inherited).first(i - 1));
  inherited.clear();
  return true;
}

// The caller was called before the trace began (or was lost). It becomes the
// new bottom; what was counted for its callee stays as it is.
void StackTracker::return_past_bottom(std::uint64_t) {
  const std::vector<StackFrame>& frames = context_.frames;
  const std::size_t segment = segment_start();
  // A signal handler returns to code that was not called and that leads back to
  // the kernel (sigreturn).
  for (std::size_t i = frames.size(), n = 0; i > segment && n < kMaxSearch;
       --i, ++n) {
    if (frames[i - 1].kind != Kind::kSignal) continue;
    pop_to(i);
    return replace_top();
  }
  ++counts_.resynchronised;
  if (segment == 0) {
    pop_to(0);
    begin_in(next_function_, next_layer_);
    return;
  }
  // A trap handler continues as another function.
  pop_to(segment);
  replace_top();
}

// Instructions are missing. If the next one is in a function on the stack, that
// frame is assumed to continue; else nothing on the stack is known to be valid.
void StackTracker::cross_gap() {
  trap_marked_ = false;
  const std::vector<StackFrame>& frames = context_.frames;
  std::size_t i = frames.size();
  for (std::size_t n = 0; i > 0 && n < kMaxSearch; --i, ++n)
    if (frames[i - 1].function == next_function_) break;
  const bool found = i > 0 && frames[i - 1].function == next_function_ &&
                     frames[i - 1].layer == next_layer_;
  pop_to(found ? i : 0);
}

// The last instruction does not transfer control, yet the next one is
// elsewhere.
void StackTracker::unexplained_step(std::uint64_t pc) {
  // A jump label or an alternative patched into the function.
  if (next_function_ == function_) return;
  // A patched call. With instruction words, it would have been seen.
  if (layer_ == Layer::kKernel && block_->bits.empty() && is_entry(pc))
    return push(Kind::kCall, pc);
  // In a program traced without its kernel, a signal.
  if (layer_ != Layer::kUser) return trap(pc);
  if (is_entry(pc) || map_.function(next_function_).name.empty())
    return begin_signal(pc);
  // Or another program that ran for a while.
  ++counts_.resynchronised;
  cross_gap();
}

// A trap is over, but what it interrupted does not simply continue.
void StackTracker::resume_elsewhere(std::uint64_t pc) {
  if (layer_ == Layer::kUser && (exec_seen_ || is_program_entry(pc)))
    return begin_program();
  if (layer_ == Layer::kUser && context_.leaves_signal) {
    // If none is found, the signal arrived before the trace began.
    if (!return_from_signal(pc)) pop_to(0);
    return;
  }
  switch (flow_.kind()) {
    case FlowKind::kBranch:
    case FlowKind::kJump:
    case FlowKind::kCall:
    case FlowKind::kIndirectJump:
    case FlowKind::kIndirectCall:
    case FlowKind::kReturn:
    case FlowKind::kSwapLink:
      // The trap was taken between a transfer and its target.
      return dispatch(pc);
    case FlowKind::kUnknown:
      if (return_from_signal(pc)) return;
      if (is_entry(pc) && layer_ == Layer::kUser && next_function_ != function_)
        return begin_signal(pc);
      return infer(pc);
    default:
      break;
  }
  if (return_from_signal(pc)) return;
  if (layer_ == Layer::kUser) {
    if (next_function_ != function_ || is_entry(pc) ||
        !has_name(next_function_))
      begin_signal(pc);
    return;
  }
  // A kernel fault that is fixed up resumes in the same function.
  if (next_function_ != function_) {
    ++counts_.resynchronised;
    replace_top();
  }
}

// --- without text: inferred from where control lands

void StackTracker::infer(std::uint64_t pc) {
  const std::vector<StackFrame>& frames = context_.frames;
  if (function_ == switch_to_ && switch_to_ != FunctionId::kNone &&
      next_function_ != function_)
    return switch_thread(pc);
  // The way out of a trap handler that interrupted the same layer.
  const auto is_exit = [&](FunctionId function) {
    return std::ranges::find(trap_exits_, function) != trap_exits_.end();
  };
  if (is_exit(function_)) {
    if (is_exit(next_function_)) return jump(pc);
    if (!is_entry(pc) && segment_start() > 0 && !top().returns_to(pc))
      return trap_return(pc);
  }
  if (top().returns_to(pc)) {
    learn_call_length(top(), pc);
    return pop_to(frames.size() - 1);
  }
  if (next_function_ == function_ && !is_entry(pc)) return;
  const std::size_t before = frames.size();
  const std::size_t segment = segment_start();
  for (std::size_t i = before, n = 0; i > segment && n < kMaxSearch; --i, ++n) {
    if (!frames[i - 1].returns_to(pc)) continue;
    learn_call_length(frames[i - 1], pc);
    learn_tail_calls(i);
    counts_.unwound += before - i;
    return pop_to(i - 1);
  }
  if (is_entry(pc)) {
    // A call; but nothing can return to after the last instruction of a
    // function, so from there it is a jump.
    const CodeFunction& from = map_.function(function_);
    const std::uint64_t end =
        from.start + from.size - (page_->elf_addr + CodePage::slot(pc_) * 2);
    if (from.size != 0 && end <= 4 &&
        !never_returns(map_.function(next_function_).name))
      return jump(pc);
    return push(Kind::kCall, pc);
  }
  if (land_in_caller()) return;
  if (return_to_parent(pc)) return;
  if (segment == frames.size() || frames.size() == 1)
    return return_past_bottom(pc);
  ++counts_.resynchronised;
  replace_top();
}

void StackTracker::learn_call_length(const StackFrame& frame,
                                     std::uint64_t pc) {
  if (frame.flow.length() != 0 && frame.flow.kind() != FlowKind::kUnknown)
    return;
  Flow& stored = page_at(frame.site).flow[CodePage::slot(frame.site)];
  stored = Flow(FlowKind::kCall, static_cast<int>(pc - frame.site))
               .in_place_of(stored);
}

// Nothing returned to these calls, so they were jumps: remembers that.
void StackTracker::learn_tail_calls(std::size_t from) {
  const std::vector<StackFrame>& frames = context_.frames;
  if (frames.size() - from > 4) return;
  for (std::size_t i = from; i < frames.size(); ++i) {
    if (frames[i].kind != Kind::kCall ||
        frames[i].flow.kind() != FlowKind::kUnknown)
      continue;
    Flow& stored = page_at(frames[i].site).flow[CodePage::slot(frames[i].site)];
    stored = Flow(FlowKind::kJump, stored.length()).in_place_of(stored);
  }
}

// Only one instruction leads to a lower layer. Remembering it matters when it
// later returns within its own layer, which could be mistaken for a call.
void StackTracker::learn_trap_return() {
  if (flow_.kind() != FlowKind::kUnknown) return;
  Flow& stored = page_->flow[CodePage::slot(pc_)];
  stored = Flow(FlowKind::kXret, stored.length()).in_place_of(stored);
}

}  // namespace wick

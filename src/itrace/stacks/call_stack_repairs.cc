// SPDX-License-Identifier: Apache-2.0
// Repairs for transfers that do not fit the stack. Each makes the smallest
// change that explains what was seen.
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "itrace/stacks/call_stack.h"

namespace wick {
namespace {

// The most frames searched for one that fits. Real unwinding is far shallower,
// and a damaged trace must not cause a full search at every step.
constexpr std::size_t kMaxSearch = 1024;

// Compilers move code that is rarely executed, such as landing pads.
constexpr std::string_view kCold = ".cold";

// setjmp, _setjmp, __sigsetjmp …
bool is_name_of_setjmp(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('_'), name.size()));
  return name == "setjmp" || name == "sigsetjmp";
}

// Older ones are forgotten.
constexpr std::size_t kMaxJumpPoints = 64;

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
bool CallStack::return_deeper() {
  const std::vector<StackFrame>& frames = context_.frames;
  const std::size_t segment = segment_start();
  for (std::size_t i = frames.size(), n = 0; i > segment && n < kMaxSearch;
       --i, ++n) {
    if (!frames[i - 1].returns_to(to_.pc)) continue;
    counts_.unwound += frames.size() - i;
    pop_to(i - 1);
    return !frames.empty();
  }
  return false;
}

bool CallStack::is_setjmp(FunctionId function) {
  const auto i = static_cast<std::size_t>(index(function));
  if (i >= is_setjmp_known_.size()) {
    is_setjmp_known_.resize(map_.function_count());
    is_setjmp_.resize(map_.function_count());
  }
  if (!is_setjmp_known_[i]) {
    is_setjmp_known_[i] = true;
    is_setjmp_[i] = is_name_of_setjmp(map_.function(function).name);
  }
  return is_setjmp_[i];
}

// setjmp is about to return: the same place may be returned to again.
void CallStack::note_jump_point() {
  std::vector<JumpPoint>& points = context_.jump_points;
  const auto depth = static_cast<std::uint32_t>(frames().size() - 1);
  std::erase_if(points, [&](const JumpPoint& point) {
    return point.depth > depth || (point.depth == depth && point.pc == to_.pc);
  });
  if (points.size() >= kMaxJumpPoints) points.erase(points.begin());
  points.push_back({.pc = to_.pc, .depth = depth});
}

// longjmp to code without a symbol, which land_in_caller() does not find.
bool CallStack::return_to_jump_point() {
  std::vector<JumpPoint>& points = context_.jump_points;
  while (!points.empty() && points.back().depth > frames().size())
    points.pop_back();
  for (std::size_t i = points.size(); i-- > 0;) {
    if (points[i].pc != to_.pc || points[i].depth < segment_start()) continue;
    const std::size_t depth = points[i].depth;
    if (depth == 0 || frames()[depth - 1].layer != Layer::kUser) continue;
    counts_.unwound += frames().size() - depth;
    pop_to(depth);
    return true;
  }
  return false;
}

bool CallStack::is_cold_part() const {
  return map_.function(to_.function).name.find(kCold) != std::string_view::npos;
}

// Lands inside a function on the stack, but not after a call: in a landing pad
// of a C++ exception, or at the second return of setjmp.
bool CallStack::land_in_caller() {
  if (!has_name(to_.function)) return false;  // could be any function
  std::string_view whole;
  if (is_cold_part()) {
    whole = map_.function(to_.function).name;
    whole = whole.substr(0, whole.find(kCold));
  }
  const std::vector<StackFrame>& frames = context_.frames;
  const std::size_t segment = std::max<std::size_t>(segment_start(), 1);
  for (std::size_t i = frames.size() - 1, n = 0;
       i + 1 > segment && i > 0 && n < kMaxSearch; --i, ++n) {
    const FunctionId function = frames[i - 1].function;
    if (function != to_.function &&
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
bool CallStack::return_to_parent() {
  std::vector<StackFrame>& inherited = context_.inherited;
  if (inherited.empty() || from_.layer != Layer::kUser ||
      context_.frames.size() != 1)
    return false;
  std::size_t i = inherited.size();
  while (i > 0 && !inherited[i - 1].returns_to(to_.pc)) --i;
  if (i < 2) return false;
  adopt(std::span(inherited).first(i - 1));
  inherited.clear();
  return true;
}

// The caller was called before the trace began (or was lost). It becomes the
// new bottom; what was counted for its callee stays as it is.
void CallStack::return_past_bottom() {
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
  if (segment == 0 && context_.is_guessed()) {
    then_ = Then::kPastBottom;
    return;
  }
  ++counts_.resynchronised;
  if (segment == 0) {
    pop_to(0);
    begin_in(to_.function, to_.layer);
    return;
  }
  // A trap handler continues as another function.
  pop_to(segment);
  replace_top();
}

void CallStack::cross_gap() {
  const std::vector<StackFrame>& frames = context_.frames;
  std::size_t i = frames.size();
  for (std::size_t n = 0; i > 0 && n < kMaxSearch; --i, ++n)
    if (frames[i - 1].function == to_.function) break;
  const bool found = i > 0 && frames[i - 1].function == to_.function &&
                     frames[i - 1].layer == to_.layer;
  pop_to(found ? i : 0);
}

// The last instruction does not transfer control, yet the next one is
// elsewhere.
void CallStack::unexplained_step() {
  // A jump label or an alternative patched into the function.
  if (to_.function == from_.function) return;
  // A patched call. With instruction words, it would have been seen.
  if (from_.layer == Layer::kKernel && !how_.has_words && to_.is_entry())
    return push(Kind::kCall);
  // In a program traced without its kernel, a signal.
  if (from_.layer != Layer::kUser) return trap();
  if (to_.is_entry() || map_.function(to_.function).name.empty())
    return begin_signal();
  // Or another program that ran for a while.
  ++counts_.resynchronised;
  cross_gap();
}

void CallStack::adopt(std::span<const StackFrame> frames) {
  std::vector<StackFrame> adopted(frames.begin(), frames.end());
  CallNodeId node = accounts_.root(context_.thread);
  for (StackFrame& frame : adopted) {
    node = accounts_.child(node, frame.place, frame.function,
                           places_.count(frame.function));
    frame.node = node;
  }
  context_.frames = std::move(adopted);
  context_.traps.clear();
}

// A trap is over, but what it interrupted does not simply continue.
void CallStack::resume_elsewhere() {
  how_.is_marked_trap = false;  // that trap is over
  if (from_.layer == Layer::kUser &&
      (context_.is_other_program || view_.is_program_entry(to_))) {
    then_ = Then::kProgram;
    return;
  }
  if (from_.layer == Layer::kUser && context_.leaves_signal) {
    // If none is found, the signal arrived before the trace began.
    if (!return_from_signal()) pop_to(0);
    return;
  }
  switch (from_.flow.kind()) {
    case FlowKind::kBranch:
    case FlowKind::kJump:
    case FlowKind::kCall:
    case FlowKind::kIndirectJump:
    case FlowKind::kIndirectCall:
    case FlowKind::kReturn:
    case FlowKind::kSwapLink:
      // The trap was taken between a transfer and its target.
      return move();
    case FlowKind::kUnknown:
      if (return_from_signal()) return;
      if (to_.is_entry() && from_.layer == Layer::kUser &&
          to_.function != from_.function)
        return begin_signal();
      return infer();
    default:
      break;
  }
  if (return_from_signal()) return;
  if (from_.layer == Layer::kUser) {
    if (to_.function != from_.function || to_.is_entry() ||
        !has_name(to_.function))
      begin_signal();
    return;
  }
  // A kernel fault that is fixed up resumes in the same function.
  if (to_.function != from_.function) {
    ++counts_.resynchronised;
    replace_top();
  }
}

// --- without text: inferred from where control lands

void CallStack::infer() {
  const std::vector<StackFrame>& frames = context_.frames;
  if (landmarks_.is_switch(from_.function) && to_.function != from_.function) {
    then_ = Then::kSwitch;
    return;
  }
  // The way out of a trap handler that interrupted the same layer.
  if (landmarks_.is_trap_exit(from_.function)) {
    if (landmarks_.is_trap_exit(to_.function)) return jump();
    if (!to_.is_entry() && segment_start() > 0 && !top().returns_to(to_.pc))
      return trap_return();
  }
  if (top().returns_to(to_.pc)) {
    learn_call_length(top());
    return pop_to(frames.size() - 1);
  }
  if (to_.function == from_.function && !to_.is_entry()) return;
  const std::size_t before = frames.size();
  const std::size_t segment = segment_start();
  for (std::size_t i = before, n = 0; i > segment && n < kMaxSearch; --i, ++n) {
    if (!frames[i - 1].returns_to(to_.pc)) continue;
    learn_call_length(frames[i - 1]);
    learn_tail_calls(i);
    counts_.unwound += before - i;
    return pop_to(i - 1);
  }
  if (to_.is_entry()) {
    // A call; but nothing can return to after the last instruction of a
    // function, so from there it is a jump.
    const CodeFunction& from = map_.function(from_.function);
    const std::uint64_t end =
        from.start + from.size - (from_.page->elf_addr + from_.slot() * 2);
    if (from.size != 0 && end <= 4 &&
        !never_returns(map_.function(to_.function).name))
      return jump();
    return push(Kind::kCall);
  }
  if (land_in_caller()) return;
  if (return_to_parent()) return;
  if (segment == frames.size() || frames.size() == 1)
    return return_past_bottom();
  ++counts_.resynchronised;
  replace_top();
}

void CallStack::learn_call_length(const StackFrame& frame) {
  if (frame.flow.length() != 0 && frame.flow.kind() != FlowKind::kUnknown)
    return;
  Flow& stored = view_.page_at(frame.site).flow[CodePage::slot(frame.site)];
  stored = Flow(FlowKind::kCall, static_cast<int>(to_.pc - frame.site))
               .in_place_of(stored);
}

// Nothing returned to these calls, so they were jumps: remembers that.
void CallStack::learn_tail_calls(std::size_t from) {
  const std::vector<StackFrame>& frames = context_.frames;
  if (frames.size() - from > 4) return;
  for (std::size_t i = from; i < frames.size(); ++i) {
    if (frames[i].kind != Kind::kCall ||
        frames[i].flow.kind() != FlowKind::kUnknown ||
        never_returns(map_.function(frames[i].function).name))
      continue;
    Flow& stored =
        view_.page_at(frames[i].site).flow[CodePage::slot(frames[i].site)];
    stored = Flow(FlowKind::kJump, stored.length()).in_place_of(stored);
  }
}

// Only one instruction leads to a lower layer. Remembering it matters when it
// later returns within its own layer, which could be mistaken for a call.
void CallStack::learn_trap_return() {
  if (from_.flow.kind() != FlowKind::kUnknown) return;
  Flow& stored = from_.page->flow[from_.slot()];
  stored = Flow(FlowKind::kXret, stored.length()).in_place_of(stored);
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// What transfers do to the stack if they are as expected.
#include <fmt/format.h>

#include <vector>

#include "itrace/stacks/stack_tracker.h"

namespace wick {
namespace {

// Beyond this depth, the outermost half is forgotten: a damaged trace may push
// for ever.
constexpr std::size_t kMaxFrames = 1 << 16;
// Traps within traps; in practice, there are a handful.
constexpr std::size_t kMaxNested = 64;

std::string_view name_of(const CodeMap& map, FunctionId id) {
  const std::string_view name = map.function(id).name;
  return name.empty() ? "?" : name;
}

}  // namespace

void StackTracker::say(const char* what) const {
  if (options_.transcript)
    options_.transcript(
        fmt::format("{} {}", what,
                    context_.frames.empty()
                        ? "nothing"
                        : name_of(map_, context_.frames.back().function)));
}

bool StackTracker::is_sequential(std::uint64_t pc) const {
  const auto length = static_cast<std::uint64_t>(flow_.length());
  return length != 0 ? pc == pc_ + length : pc == pc_ + 2 || pc == pc_ + 4;
}

// A call or a tail call of the function that comes next in memory.
bool StackTracker::jumps_to_next(std::uint64_t pc) const {
  if (next_function_ == function_ || !is_entry(pc)) return false;
  switch (flow_.kind()) {
    case FlowKind::kCall:
    case FlowKind::kIndirectCall:
    case FlowKind::kJump:
    case FlowKind::kIndirectJump:
      return true;
    default:
      return false;
  }
}

// The first frame above the innermost trap.
std::size_t StackTracker::segment_start() const {
  return context_.traps.empty() ? 0 : context_.traps.back();
}

CallNodeId StackTracker::child_of_top(FunctionId function) {
  const CallNodeId caller = top().node;
  const std::uint16_t place =
      accounts_.place_in(caller, page_->place(CodePage::slot(pc_)));
  return accounts_.child(caller, place, function, places_.count(function));
}

void StackTracker::begin_in(FunctionId function, Layer layer) {
  const CallNodeId node = accounts_.child(accounts_.root(context_.thread), 0,
                                          function, places_.count(function));
  context_.frames.push_back({.kind = Kind::kBottom,
                             .layer = layer,
                             .function = function,
                             .node = node});
  say("begin");
}

void StackTracker::push(Kind kind, std::uint64_t pc) {
  std::vector<StackFrame>& frames = context_.frames;
  if (frames.size() >= kMaxFrames) {
    frames.erase(frames.begin(), frames.begin() + kMaxFrames / 2);
    frames.front().kind = Kind::kBottom;
    context_.traps.clear();
    for (std::uint32_t i = 0; i < frames.size(); ++i)
      if (frames[i].kind == Kind::kTrap) context_.traps.push_back(i + 1);
    ++counts_.resynchronised;
  }
  const CallNodeId node = child_of_top(next_function_);
  frames.push_back({.site = pc_,
                    .flow = flow_,
                    .kind = kind,
                    .layer = next_layer_,
                    .function = next_function_,
                    .node = node});
  if (kind == Kind::kTrap)
    context_.traps.push_back(static_cast<std::uint32_t>(frames.size()));
  if (next_function_ == wake_new_ && wake_new_ != FunctionId::kNone)
    note_birth();
  if (next_function_ == sigreturn_ && sigreturn_ != FunctionId::kNone)
    context_.leaves_signal = true;
  if (kind == Kind::kCall || (kind != Kind::kPart && is_entry(pc))) {
    ++accounts_[node].calls;
    ++counts_.calls;
  }
  constexpr const char* kNames[] = {"begin", "push", "trap", "signal", "part"};
  say(kNames[static_cast<int>(kind)]);
}

void StackTracker::pop_to(std::size_t size) {
  while (context_.frames.size() > size) {
    say("pop");
    context_.frames.pop_back();
  }
  while (!context_.traps.empty() && context_.traps.back() > size)
    context_.traps.pop_back();
}

// Replaces the function on top by another one, which returns to the same
// caller.
void StackTracker::replace_top() {
  StackFrame& frame = top();
  const std::size_t size = context_.frames.size();
  const CallNodeId caller = size >= 2 ? context_.frames[size - 2].node
                                      : accounts_.root(context_.thread);
  const std::uint16_t place = frame.kind == Kind::kBottom
                                  ? std::uint16_t{0}
                                  : accounts_[frame.node].place;
  frame.function = next_function_;
  frame.layer = next_layer_;
  frame.node = accounts_.child(caller, place, next_function_,
                               places_.count(next_function_));
  say("become");
}

// A jump into another function is a tail call if it lands at its beginning,
// else a part of a function that the linker or the compiler placed elsewhere.
// Both return to where this function would have. PLT stubs are handled the same
// way.
void StackTracker::jump(std::uint64_t pc) {
  if (next_function_ == function_) return;
  const bool entry = is_entry(pc);
  // All code of a file without symbols is one function, which is soon on the
  // stack; there, the jump is one of the PLT's resolver or a tail call.
  if (!entry && flow_.kind() == FlowKind::kIndirectJump &&
      !map_.function(next_function_).name.empty() && land_in_caller())
    return;
  if (!entry && branch_to_part()) return;
  replace_top();
  if (entry) {
    ++accounts_[top().node].calls;
    ++counts_.calls;
  }
}

// A branch never calls: it leads to a part of the function that has no symbol
// of its own, such as thread_start in clone. The part goes on top of its
// function, which so keeps its name, until it branches back.
bool StackTracker::branch_to_part() {
  const std::vector<StackFrame>& frames = context_.frames;
  const std::size_t size = frames.size();
  if (!has_name(function_) && size > 1 && size > segment_start() &&
      frames.back().flow.kind() == FlowKind::kBranch &&
      frames[size - 2].function == next_function_) {
    pop_to(size - 1);
    return true;
  }
  if (flow_.kind() != FlowKind::kBranch || has_name(next_function_) ||
      !has_name(function_))
    return false;
  push(Kind::kPart, 0);
  return true;
}

void StackTracker::trap(std::uint64_t pc) {
  ++counts_.traps;
  push(Kind::kTrap, pc);
}

// An interrupt that was pending until the previous handler ended, or a fault at
// the very instruction to resume at: the handler has returned, and what it
// interrupted is interrupted again before it executes anything.
void StackTracker::trap_again(std::uint64_t pc) {
  if (context_.traps.empty()) {  // the thread has not executed anything yet
    ++counts_.traps;
    return pop_to(0);
  }
  const StackFrame trapped = context_.frames[context_.traps.back() - 1];
  pop_to(context_.traps.back() - 1);
  if (context_.frames.empty()) return;
  go_back_to(trapped);
  trap(pc);
}

// Restores the state before the trap.
void StackTracker::go_back_to(const StackFrame& trapped) {
  pc_ = trapped.site;
  flow_ = trapped.flow;
  page_ = &page_at(pc_);
  function_ = top().function;
  layer_ = top().layer;
}

// mret and sret, or any other way to a lower layer: a trap is over. It is the
// innermost one that can resume at `pc`, or, if the handler changed the pc (a
// signal, a fault that is fixed up), the innermost one of that layer.
void StackTracker::trap_return(std::uint64_t pc) {
  const std::vector<StackFrame>& frames = context_.frames;
  const std::vector<std::uint32_t>& traps = context_.traps;
  std::size_t found = 0;  // one above the frame
  if (top().kind != Kind::kBottom && top().resumes_at(pc))
    found = frames.size();
  const std::size_t outermost =
      traps.size() > kMaxNested ? traps.size() - kMaxNested : 0;
  for (std::size_t i = traps.size(); i > outermost && found == 0; --i)
    if (frames[traps[i - 1] - 1].resumes_at(pc)) found = traps[i - 1];
  for (std::size_t i = traps.size(); i > outermost && found == 0; --i)
    if (traps[i - 1] > 1 && frames[traps[i - 1] - 2].layer == next_layer_)
      found = traps[i - 1];
  if (found == 0 || returning_ >= kMaxNested) return begin_thread(pc);
  const StackFrame trapped = frames[found - 1];
  pop_to(found - 1);
  if (frames.empty()) return;
  go_back_to(trapped);
  if (!trapped.resumes_at(pc)) {
    // If that was about to return from a trap as well, this function is called
    // again.
    ++returning_;
    resume_elsewhere(pc);
    --returning_;
  }
  if (next_layer_ == Layer::kUser) exec_seen_ = context_.leaves_signal = false;
}

void StackTracker::function_return(std::uint64_t pc) {
  if (function_ == switch_to_ && next_function_ != function_ &&
      switch_to_ != FunctionId::kNone)
    return switch_thread(pc);
  if (top().returns_to(pc)) return pop_to(context_.frames.size() - 1);
  if (return_deeper(pc)) return;
  // A jump through a link register: to a label in the same function, or to
  // another function, as the kernel enters its handlers.
  if (next_function_ == function_) return;
  if (return_from_handler()) return;
  if (is_entry(pc) && layer_ != Layer::kUser) return jump(pc);
  if (is_entry(pc) && !is_cold_part()) return begin_signal(pc);
  if (land_in_caller()) return;
  if (return_to_parent(pc)) return;
  return_past_bottom(pc);
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/call_stack.h"

#include <algorithm>
#include <utility>

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

CallStack::CallStack(CodeView& view, const Landmarks& landmarks, Places& places,
                     Accounts& accounts, Context context, Transcript transcript)
    : view_(view),
      map_(view.map()),
      landmarks_(landmarks),
      places_(places),
      accounts_(accounts),
      transcript_(std::move(transcript)),
      context_(std::move(context)) {}

void CallStack::say(const std::string& line) const {
  if (transcript_) transcript_(line);
}

void CallStack::say_top(const char* what) const {
  if (transcript_)
    transcript_(std::string(what) + ' ' +
                std::string(context_.frames.empty()
                                ? "nothing"
                                : name_of(map_, top().function)));
}

CallStack::Then CallStack::transfer(const Transfer& how) {
  how_ = how;
  then_ = Then::kNothing;
  move();
  return then_;
}

void CallStack::move() {
  const bool has_returned = from_.flow.kind() == FlowKind::kXret;
  if (to_.layer > from_.layer) note_trap_vector();
  if (how_.is_marked_trap || to_.layer > from_.layer)
    return has_returned ? trap_again() : trap();
  if (to_.layer < from_.layer) {
    learn_trap_return();
    // M-mode hands an interrupt on to S-mode, as on machines whose timer it
    // has. What it interrupted is interrupted again.
    if (is_trap_entry()) return trap_again();
    return trap_return();
  }
  if (is_trap_entry()) return has_returned ? trap_again() : trap();
  if (is_sequential() && !jumps_to_next())
    return;  // correct_top() corrects the function
  if (is_signal()) return begin_signal();
  switch (from_.flow.kind()) {
    case FlowKind::kCall:
    case FlowKind::kIndirectCall:
      return push(Kind::kCall);
    case FlowKind::kReturn:
      return function_return();
    case FlowKind::kSwapLink:
      if (top().kind == Kind::kCall) pop_to(frames().size() - 1);
      if (frames().empty()) return;
      return push(Kind::kCall);
    case FlowKind::kBranch:
    case FlowKind::kJump:
    case FlowKind::kIndirectJump:
      return jump();
    case FlowKind::kXret:
      return trap_return();
    case FlowKind::kEcall:
    case FlowKind::kBreak:
      if (from_.layer != Layer::kUser) return trap();
      // In a program traced without its kernel.
      if (return_from_signal()) return;
      return begin_signal();
    case FlowKind::kPlain:
    case FlowKind::kFlush:
    case FlowKind::kWait:
      return unexplained_step();
    case FlowKind::kUnknown:
      return infer();
  }
}

// By its name, or because traps led there before.
bool CallStack::is_trap_entry() const {
  if (to_.layer == Layer::kUser) return false;
  return (to_.is_entry() && landmarks_.is_trap_entry(to_.function)) ||
         std::ranges::find(trap_vectors_, to_.pc) != trap_vectors_.end();
}

void CallStack::note_trap_vector() {
  if (trap_vectors_.size() < kMaxVectors &&
      std::ranges::find(trap_vectors_, to_.pc) == trap_vectors_.end())
    trap_vectors_.push_back(to_.pc);
}

void CallStack::arrive() {
  if (to_.page->image == CodeImageId::kNone &&
      to_.page->layer == Layer::kUnknown) {
    // How it was reached shows its layer.
    CodeMap::set_layer(*to_.page, to_.layer);
    to_.function = to_.page->function(to_.slot());
  }
  from_.page = to_.page;
  from_.function = to_.function;
  from_.layer = to_.layer;
  places_.fill(*from_.page, to_.slot());
}

void CallStack::correct_top() {
  if (frames().empty()) begin_in(to_.function, to_.layer);
  if (top().function != from_.function) replace_top();
  for (const CallNodeId pending : held_)
    accounts_.settle(pending, top().node, from_.page->place(to_.slot()));
  held_.clear();
}

bool CallStack::is_sequential() const {
  const auto length = static_cast<std::uint64_t>(from_.flow.length());
  return length != 0 ? to_.pc == from_.pc + length
                     : to_.pc == from_.pc + 2 || to_.pc == from_.pc + 4;
}

// A call or a tail call of the function that comes next in memory.
bool CallStack::jumps_to_next() const {
  if (to_.function == from_.function || !to_.is_entry()) return false;
  switch (from_.flow.kind()) {
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
std::size_t CallStack::segment_start() const {
  return context_.traps.empty() ? 0 : context_.traps.back();
}

CallNodeId CallStack::child_of_top(FunctionId function) {
  const CallNodeId caller = top().node;
  const std::uint16_t place =
      accounts_.place_in(caller, from_.page->place(from_.slot()));
  return accounts_.child(caller, place, function, places_.count(function));
}

CallNodeId CallStack::bottom_caller() {
  if (context_.is_guessed()) return context_.levels.back();
  return context_.pending != CallNodeId::kRoot
             ? context_.pending
             : accounts_.root(context_.thread);
}

void CallStack::begin_level() {
  pop_to(0);
  context_.levels.push_back(
      accounts_.make_pending(accounts_.root(context_.thread), 0));
  begin_in(to_.function, to_.layer);
}

void CallStack::begin_in(FunctionId function, Layer layer) {
  const CallNodeId node =
      accounts_.child(bottom_caller(), 0, function, places_.count(function));
  context_.frames.push_back({.kind = Kind::kBottom,
                             .layer = layer,
                             .function = function,
                             .node = node});
  say_top("begin");
}

void CallStack::begin_before_user_code() {
  context_.pending = accounts_.make_pending(accounts_.root(context_.thread), 0);
}

void CallStack::reach_user_code() {
  if (context_.pending != CallNodeId::kRoot)
    held_.push_back(std::exchange(context_.pending, CallNodeId::kRoot));
}

void CallStack::end_thread() {
  pop_to(0);
  if (context_.pending != CallNodeId::kRoot)
    accounts_.settle(std::exchange(context_.pending, CallNodeId::kRoot));
}

void CallStack::push(Kind kind, CallNodeId pending) {
  std::vector<StackFrame>& frames = context_.frames;
  if (frames.size() >= kMaxFrames) {
    frames.erase(frames.begin(), frames.begin() + kMaxFrames / 2);
    frames.front().kind = Kind::kBottom;
    context_.traps.clear();
    for (std::uint32_t i = 0; i < frames.size(); ++i)
      if (frames[i].kind == Kind::kTrap) context_.traps.push_back(i + 1);
    ++counts_.resynchronised;
  }
  const CallNodeId node = pending == CallNodeId::kRoot
                              ? child_of_top(to_.function)
                              : accounts_.child(pending, 0, to_.function,
                                                places_.count(to_.function));
  frames.push_back({.site = from_.pc,
                    .flow = from_.flow,
                    .kind = kind,
                    .returns_twice = to_.layer == Layer::kUser &&
                                     kind == Kind::kCall &&
                                     is_setjmp(to_.function),
                    .layer = to_.layer,
                    .function = to_.function,
                    .place = accounts_[node].place,
                    .node = node,
                    .pending = pending});
  if (kind == Kind::kTrap)
    context_.traps.push_back(static_cast<std::uint32_t>(frames.size()));
  if (landmarks_.is_sigreturn(to_.function)) context_.leaves_signal = true;
  if (landmarks_.is_new_program(to_.function)) context_.is_other_program = true;
  if (kind == Kind::kCall || (kind != Kind::kPart && to_.is_entry())) {
    ++accounts_[node].calls;
    ++counts_.calls;
  }
  constexpr const char* kNames[] = {"begin", "push", "trap", "signal", "part"};
  say_top(kNames[static_cast<int>(kind)]);
}

void CallStack::pop_to(std::size_t size) {
  while (context_.frames.size() > size) {
    say_top("pop");
    const CallNodeId pending = top().pending;
    context_.frames.pop_back();
    if (pending != CallNodeId::kRoot) accounts_.settle(pending);
  }
  while (!context_.traps.empty() && context_.traps.back() > size)
    context_.traps.pop_back();
}

// Replaces the function on top by another one, which returns to the same
// caller.
void CallStack::replace_top() {
  StackFrame& frame = top_frame();
  const std::size_t size = context_.frames.size();
  const CallNodeId caller = frame.pending != CallNodeId::kRoot ? frame.pending
                            : size >= 2 ? context_.frames[size - 2].node
                                        : bottom_caller();
  frame.function = to_.function;
  frame.layer = to_.layer;
  frame.node = accounts_.child(caller, frame.place, to_.function,
                               places_.count(to_.function));
  say_top("become");
}

// A jump into another function is a tail call if it lands at its beginning,
// else a part of a function that the linker or the compiler placed elsewhere.
// Both return to where this function would have. PLT stubs are handled the same
// way.
void CallStack::jump() {
  if (to_.function == from_.function) return;
  const bool entry = to_.is_entry();
  if (entry && to_.layer == Layer::kUser &&
      (frames().size() > 1 || context_.is_guessed()) &&
      view_.is_entry_of_program(to_)) {
    then_ = Then::kEntry;
    return;
  }
  // All code of a file without symbols is one function, which is soon on the
  // stack; there, the jump is one of the PLT's resolver or a tail call.
  if (!entry && from_.flow.kind() == FlowKind::kIndirectJump &&
      (return_to_jump_point() || land_in_caller()))
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
bool CallStack::branch_to_part() {
  const std::vector<StackFrame>& frames = context_.frames;
  const std::size_t size = frames.size();
  if (!has_name(from_.function) && size > 1 && size > segment_start() &&
      frames.back().flow.kind() == FlowKind::kBranch &&
      frames[size - 2].function == to_.function) {
    pop_to(size - 1);
    return true;
  }
  if (from_.flow.kind() != FlowKind::kBranch || has_name(to_.function) ||
      !has_name(from_.function))
    return false;
  push(Kind::kPart);
  return true;
}

void CallStack::trap() {
  ++counts_.traps;
  push(Kind::kTrap, is_target_open() ? open_place() : CallNodeId::kRoot);
}

// Whether the last instruction leads to a function that is not known before it
// executes something: a trap interrupts that one.
bool CallStack::is_target_open() const {
  switch (from_.flow.kind()) {
    case FlowKind::kUnknown:
    case FlowKind::kCall:
    case FlowKind::kIndirectCall:
    case FlowKind::kIndirectJump:
    case FlowKind::kReturn:
    case FlowKind::kSwapLink:
    case FlowKind::kXret:
      return true;
    case FlowKind::kJump:
      return view_.function_ahead(from_) != from_.function;
    default:
      return false;
  }
}

CallNodeId CallStack::open_place() {
  return accounts_.make_pending(top().node, from_.page->place(from_.slot()));
}

// An interrupt that was pending until the previous handler ended, or a fault at
// the very instruction to resume at: the handler has returned, and what it
// interrupted, or where it leads, is interrupted before it executes anything.
void CallStack::trap_again() {
  if (context_.traps.empty()) {  // the thread has not executed anything yet
    ++counts_.traps;
    return pop_to(0);
  }
  const std::size_t first = context_.traps.back() - std::size_t{1};
  const StackFrame trapped = frames()[first];
  context_.frames[first].pending = CallNodeId::kRoot;
  pop_to(first);
  if (frames().empty()) return;
  go_back_to(trapped);
  ++counts_.traps;
  push(Kind::kTrap,
       trapped.pending != CallNodeId::kRoot ? trapped.pending : open_place());
}

// A trap is over: what it interrupted runs now.
void CallStack::hold(std::size_t frame) {
  CallNodeId& pending = context_.frames[frame].pending;
  if (pending != CallNodeId::kRoot)
    held_.push_back(std::exchange(pending, CallNodeId::kRoot));
}

// Restores the state before the trap.
void CallStack::go_back_to(const StackFrame& trapped) {
  from_.pc = trapped.site;
  from_.flow = trapped.flow;
  from_.page = &view_.page_at(from_.pc);
  from_.function = top().function;
  from_.layer = top().layer;
}

// mret and sret, or any other way to a lower layer: a trap is over. It is the
// innermost one that can resume there, or, if the handler changed the pc (a
// signal, a fault that is fixed up), the innermost one of that layer.
void CallStack::trap_return() {
  const std::vector<StackFrame>& frames = context_.frames;
  const std::vector<std::uint32_t>& traps = context_.traps;
  std::size_t found = 0;  // one above the frame
  if (top().kind != Kind::kBottom && top().resumes_at(to_.pc))
    found = frames.size();
  const std::size_t outermost =
      traps.size() > kMaxNested ? traps.size() - kMaxNested : 0;
  for (std::size_t i = traps.size(); i > outermost && found == 0; --i)
    if (frames[traps[i - 1] - 1].resumes_at(to_.pc)) found = traps[i - 1];
  for (std::size_t i = traps.size(); i > outermost && found == 0; --i)
    if (traps[i - 1] > 1 && frames[traps[i - 1] - 2].layer == to_.layer)
      found = traps[i - 1];
  if (found == 0 || returning_ >= kMaxNested) {
    then_ = Then::kTrapIsOver;
    return;
  }
  const StackFrame trapped = frames[found - 1];
  // A system call that ends a signal interrupts nothing else.
  if (!context_.leaves_signal) hold(found - 1);
  pop_to(found - 1);
  if (frames.empty()) return;
  go_back_to(trapped);
  if (!trapped.resumes_at(to_.pc)) {
    // If that was about to return from a trap as well, this function is called
    // again.
    ++returning_;
    resume_elsewhere();
    --returning_;
  }
  if (to_.layer == Layer::kUser)
    context_.is_other_program = context_.leaves_signal = false;
}

void CallStack::function_return() {
  if (landmarks_.is_switch(from_.function) && to_.function != from_.function) {
    then_ = Then::kSwitch;
    return;
  }
  if (top().returns_to(to_.pc)) {
    if (top().returns_twice) note_jump_point();
    return pop_to(context_.frames.size() - 1);
  }
  if (return_deeper()) return;
  if (return_to_jump_point()) return;
  // A jump through a link register: to a label in the same function, or to
  // another function, as the kernel enters its handlers.
  if (to_.function == from_.function) return;
  if (return_from_handler()) return;
  if (to_.is_entry() && from_.layer != Layer::kUser) return jump();
  if (to_.is_entry() && !is_cold_part()) return begin_signal();
  if (land_in_caller()) return;
  if (return_to_parent()) return;
  return_past_bottom();
}

}  // namespace wick

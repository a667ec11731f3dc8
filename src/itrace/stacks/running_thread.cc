// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/running_thread.h"

#include <algorithm>
#include <utility>

namespace wick {
namespace {

// Instead of the row of a parked thread.
constexpr std::size_t kNotFound = SIZE_MAX, kCurrent = SIZE_MAX - 1;
// How many instructions are looked at ahead. It takes a few thousand from
// __switch_to to the first return that differs.
constexpr std::size_t kLookahead = 1 << 15, kShortLookahead = 256,
                      kAtFirst = 1 << 20;
// Matching returns that confirm the only remaining candidate.
constexpr int kProofs = 4;

}  // namespace

const Retired* RunningThread::Ahead::operator[](std::size_t steps) const {
  const std::size_t i = at + steps;
  const std::size_t here = block->instructions.size();
  if (i < here) return &block->instructions[i];
  if (next == nullptr || i - here >= next->instructions.size()) return nullptr;
  return &next->instructions[i - here];
}

void RunningThread::tell_context(const ContextChange& change) {
  has_satp_ = change.has_satp;
  if (!change.has_thread_pointer) return;
  // The kernel keeps the running thread in tp and changes it in here.
  if (landmarks_.is_switch(stack_.from().function) &&
      thread_pointer_ != change.thread_pointer)
    stack_.context().thread_pointer = thread_pointer_;
  thread_pointer_ = change.thread_pointer;
}

void RunningThread::switch_thread(const Ahead& ahead, std::uint64_t tracked) {
  ahead_ = ahead;
  tracked_ = tracked;
  const std::size_t found = find_resumed();
  if (found == kCurrent) {
    ++stack_.counts().resynchronised;
    return stack_.pop_to(stack_.frames().size() - 1);
  }
  resume(found);
  Context& context = stack_.context();
  context.is_urgent = std::exchange(left_again_, false);
  if (thread_pointer_ != 0) context.thread_pointer = thread_pointer_;
  if (found == kNotFound && stack_.to().is_entry()) {
    context.is_new = true;
    stack_.begin_before_user_code();
  }
  // It was in __switch_to as well.
  if (found != kNotFound) stack_.pop_to(stack_.frames().size() - 1);
}

bool RunningThread::change_process() {
  // A source may report it late: if a jump leads here, the function that jumped
  // already belonged to this process.
  const bool is_late = stack_.leads_there() == true;
  std::size_t found = 0;
  while (found < contexts_.parked() && contexts_[found].space != view_.space())
    ++found;
  resume(found);
  if (is_late && stack_.frames().empty()) {
    stack_.begin_in(stack_.from().function, stack_.from().layer);
    return true;
  }
  stack_.cross_gap();
  return false;
}

// The trace says which thread runs. If it is not the one followed so far, the
// switch was not traced.
void RunningThread::apply_told() {
  const auto is_told = [&](const Context& context) {
    const ThreadFacts& facts = contexts_.threads()[context.thread];
    return facts.pid == told_->pid && facts.tid == told_->tid;
  };
  // The kernel may be about to start a program: the new name is not yet that of
  // what runs.
  if (is_told(running()) &&
      (running().is_other_program || stack_.from().layer != Layer::kUser) &&
      contexts_.threads()[running().thread].name != told_->name)
    return;
  if (contexts_.threads()[running().thread].tid != -1 && !is_told(running())) {
    std::size_t found = 0;
    while (found < contexts_.parked() && !is_told(contexts_[found])) ++found;
    resume(found);
    stack_.cross_gap();
  }
  ThreadFacts& facts = contexts_.threads()[running().thread];
  facts.pid = told_->pid;
  facts.tid = told_->tid;
  facts.name = std::move(told_->name);
  told_.reset();
}

// Resumes a parked thread, or a new one if there is no such row.
void RunningThread::resume(std::size_t row) {
  ++switches_;
  Context next =
      row >= contexts_.parked() ? contexts_.make(hart_) : contexts_.take(row);
  const bool is_over = stack_.is_thread_over();
  if (is_over) stack_.end_thread();
  std::swap(next, stack_.context());
  if (is_over)
    contexts_.note_end(next.thread);
  else
    contexts_.park(std::move(next));
  stack_.say("thread " + std::to_string(running().thread));
}

bool RunningThread::Lookahead::is_proven() const {
  return end == End::kUser || proofs >= kProofs;
}

const std::vector<StackFrame>& RunningThread::frames_of(
    const Candidate& candidate) const {
  return candidate.row == kCurrent ? stack_.frames()
                                   : contexts_[candidate.row].frames;
}

// Whether a thread that was left where it returns to `pc` may be the one that
// resumes.
bool RunningThread::may_resume(const Context& context, std::uint64_t pc) const {
  if (context.frames.size() < 2 || !context.frames.back().returns_to(pc))
    return false;
  // Without satp, view_.space() is that of the user code that ran last.
  return !has_satp_ || view_.space() == SpaceId::kNone ||
         context.space == SpaceId::kNone || context.space == view_.space();
}

std::size_t RunningThread::find_resumed() {
  const std::uint64_t pc = stack_.to().pc;
  // In the order in which they were left: if nothing tells threads apart, it is
  // the one that has waited longest. The kernel wakes threads in this order.
  std::vector<Candidate> alive;
  for (std::size_t i = contexts_.parked(); i-- > 0;) {
    const Context& context = contexts_[i];
    if (thread_pointer_ != 0 && context.thread_pointer != 0) {
      if (context.thread_pointer == thread_pointer_ &&
          context.frames.size() >= 2 && context.frames.back().returns_to(pc))
        return i;
      continue;
    }
    if (may_resume(context, pc))
      alive.push_back({i, context.frames.size() - 2});
  }
  const std::vector<Candidate> all = alive;
  Lookahead look{.pc = pc, .function = stack_.to().function};
  // In total, no more instructions are looked at ahead than were tracked: a
  // damaged trace may switch at every step.
  look.steps =
      looked_ahead_ <= tracked_ + kAtFirst ? kLookahead : kShortLookahead;
  narrow(alive, look);
  left_again_ = look.end == Lookahead::End::kSwitch;
  if (left_again_) prefer_interrupted(alive, all, look);
  if (!alive.empty()) return alive.front().row;
  if (thread_pointer_ != 0 || !may_resume(running(), pc)) return kNotFound;
  // The current thread itself: earlier, another thread that was left at the
  // same place was mistaken for it.
  alive = {{kCurrent, stack_.frames().size() - 2}};
  look = {.pc = pc, .function = stack_.to().function, .steps = look.steps};
  narrow(alive, look);
  return !alive.empty() && look.is_proven() ? kCurrent : kNotFound;
}

// A thread was left again before it could be identified, because an interrupt
// woke a more urgent one: so it is not the one that resumes next, and most
// likely the one that resumes after that.
void RunningThread::prefer_interrupted(std::vector<Candidate>& alive,
                                       const std::vector<Candidate>& all,
                                       Lookahead& look) {
  const std::uint64_t pc = stack_.to().pc;
  const auto following = [&]() -> std::optional<std::size_t> {
    if (look.pc != pc) return {};  // a new thread
    std::vector<Candidate> found = all;
    look.proofs = 0;
    look.end = Lookahead::End::kNothing;
    narrow(found, look);
    if (found.size() != 1 || !look.is_proven()) return {};
    return found.front().row;
  };
  if (const auto next = following())
    std::erase_if(alive, [&](const Candidate& c) { return c.row == *next; });
  if (alive.size() < 2 || !skip_to_switch(look)) return;
  Lookahead third = look;
  const auto later = following();
  if (later) {
    if (std::ranges::find(alive, *later, &Candidate::row) != alive.end())
      alive = {{*later, 0}};
    return;
  }
  // It may have been interrupted again just when the kernel was about to
  // return.
  std::vector<Candidate> found = interrupted_at(skip_to_user(third), alive);
  if (found.empty()) return;
  find_by_user_code(found, third);
  if (found.size() == 1) alive = found;
}

// The candidates whose user code resumes at `pc` after the trap that left it.
std::vector<RunningThread::Candidate> RunningThread::interrupted_at(
    std::uint64_t pc, const std::vector<Candidate>& all) const {
  std::vector<Candidate> found;
  for (const Candidate& c : all) {
    const Context& context = contexts_[c.row];
    if (pc == 0 || context.traps.empty()) continue;
    const std::size_t trap = context.traps.front() - std::size_t{1};
    if (trap > 0 && context.frames[trap].resumes_at(pc))
      found.push_back({c.row, trap});
  }
  return found;
}

// Skips to the next user code; returns 0 if another thread resumes before that.
std::uint64_t RunningThread::skip_to_user(Lookahead& look) {
  bool leaves = false;
  for (; look.at < look.steps; ++look.at) {
    ++looked_ahead_;
    const Retired* const instruction = ahead_[look.at];
    if (instruction == nullptr) return 0;
    const CodePage& page = view_.page_at(instruction->pc);
    if (page.layer != Layer::kKernel) return instruction->pc;
    const FunctionId function = page.function(CodePage::slot(instruction->pc));
    if (leaves && !landmarks_.is_switch(function)) return 0;
    leaves = landmarks_.is_switch(function);
  }
  return 0;
}

// Skips to the next switch to yet another thread.
bool RunningThread::skip_to_switch(Lookahead& look) {
  bool leaves = false;
  std::uint64_t last = 0;
  while (look.end != Lookahead::End::kSwitch && ++look.at < look.steps) {
    ++looked_ahead_;
    const Retired* const instruction = ahead_[look.at];
    if (instruction == nullptr) return false;
    const std::uint64_t to = instruction->pc;
    const bool follows = to == last + 2 || to == last + 4;
    last = to;
    if (follows) continue;
    look.function = view_.page_at(to).function(CodePage::slot(to));
    look.pc = to;
    if (leaves && !landmarks_.is_switch(look.function))
      look.end = Lookahead::End::kSwitch;
    leaves = landmarks_.is_switch(look.function);
  }
  return look.end == Lookahead::End::kSwitch;
}

// Looks ahead until only the thread that resumes is left in `alive`; candidates
// that do not match the returns are removed.
void RunningThread::narrow(std::vector<Candidate>& alive, Lookahead& look) {
  const auto frame_of = [&](const Candidate& c) -> const StackFrame& {
    return frames_of(c)[c.frame];
  };
  FunctionId running = look.function, before = look.function;
  std::uint64_t last = look.pc;
  while (++look.at < look.steps && !alive.empty()) {
    ++looked_ahead_;
    const Retired* const instruction = ahead_[look.at];
    if (instruction == nullptr) return;
    const std::uint64_t to = instruction->pc;
    const bool follows = to == last + 2 || to == last + 4;
    last = to;
    if (follows) continue;
    const CodePage& page = view_.page_at(to);
    const std::size_t slot = CodePage::slot(to);
    const FunctionId function = page.function(slot);
    if (page.layer != Layer::kKernel) {
      // Back to user code: a thread that was interrupted there, if any.
      const auto goes_on_there = [&](const Candidate& c) {
        return frame_of(c).kind == StackFrame::Kind::kTrap &&
               frame_of(c).resumes_at(to);
      };
      if (std::ranges::none_of(alive, goes_on_there)) return;
      std::erase_if(alive,
                    [&](const Candidate& c) { return !goes_on_there(c); });
      look.end = Lookahead::End::kUser;
      const Candidate first = alive.front();
      find_by_user_code(alive, look);
      if (alive.empty()) alive = {first};
      return;
    }
    if (landmarks_.is_switch(before) && !landmarks_.is_switch(function)) {
      look.pc = to;
      look.function = function;
      look.end = Lookahead::End::kSwitch;
      return;
    }
    const bool returns =
        before == running && function != running && !page.flow[slot].is_entry();
    before = function;
    if (!returns) continue;
    std::erase_if(alive, [&](const Candidate& c) {
      return c.frame == 0 || !frame_of(c).returns_to(to);
    });
    // Even a single candidate must be proven: the thread may be an unknown one,
    // and all of them were left through the same two functions.
    if (++look.proofs >= kProofs && alive.size() == 1) return;
    for (Candidate& c : alive) --c.frame;
    running = function;
  }
}

// Tells threads apart that wait in the same system call, such as for a futex:
// they return to different callers.
void RunningThread::find_by_user_code(std::vector<Candidate>& alive,
                                      Lookahead& look) {
  for (Candidate& c : alive) --c.frame;  // below the trap
  std::size_t depth = 0;                 // of calls since
  Flow flow;
  // Others may run in the meantime; it resumes where it was interrupted.
  bool is_away = false, switches = false;
  std::uint64_t last = 0;
  for (; look.at < look.steps && alive.size() > 1; ++look.at) {
    ++looked_ahead_;
    const Retired* const instruction = ahead_[look.at];
    if (instruction == nullptr) break;
    const std::uint64_t to = instruction->pc;
    const CodePage& page = view_.page_at(to);
    if (page.image != CodeImageId::kNone && page.layer != Layer::kUser) {
      const bool is_switch =
          landmarks_.is_switch(page.function(CodePage::slot(to)));
      is_away = is_away || (switches && !is_switch);
      switches = is_switch;
      continue;
    }
    if (is_away && flow.kind() == FlowKind::kEcall) break;
    if (is_away && to != last && to != last + 2 && to != last + 4) continue;
    is_away = false;
    last = to;
    if (flow.kind() == FlowKind::kReturn && depth > 0) {
      --depth;
    } else if (flow.kind() == FlowKind::kReturn) {
      const auto returns = [&](Candidate& c) {
        const std::vector<StackFrame>& frames = frames_of(c);
        while (c.frame > 0 && frames[c.frame].kind == StackFrame::Kind::kPart)
          --c.frame;
        return c.frame > 0 && frames[c.frame--].returns_to(to);
      };
      std::erase_if(alive, [&](Candidate& c) { return !returns(c); });
    }
    flow = page.flow[CodePage::slot(to)];
    if (flow.kind() == FlowKind::kCall ||
        flow.kind() == FlowKind::kIndirectCall)
      ++depth;
  }
}

}  // namespace wick

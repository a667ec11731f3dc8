// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/running_thread.h"

#include <algorithm>
#include <utility>

namespace wick {
namespace {

// Instructions from changing satp to leaving a thread, at most.
constexpr std::uint64_t kToSwitch = 1000;

}  // namespace
void RunningThread::tell_context(const ContextChange& change) {
  has_satp_ = change.has_satp;
  if (!change.has_thread_pointer) return;
  // The kernel keeps the running thread in tp and changes it in here.
  if (landmarks_.is_switch(stack_.from().function) &&
      thread_pointer_ != change.thread_pointer)
    stack_.context().thread_pointer = thread_pointer_;
  thread_pointer_ = change.thread_pointer;
}

void RunningThread::change_space(SpaceId space, std::uint64_t tracked) {
  // A change before this one was not for the next thread: exec.
  if (space_has_changed_) stack_.context().memory.be(view_.space());
  space_has_changed_ = has_satp_ && view_.space() != SpaceId::kNone;
  space_changed_at_ = tracked;
  view_.enter(space);
}

// The thread is about to be left: whether the kernel has just changed the space
// to that of the next one.
bool RunningThread::note_space_change(std::uint64_t tracked) {
  const bool is_new = std::exchange(space_has_changed_, false);
  const bool is_for_next = is_new && tracked - space_changed_at_ < kToSwitch;
  if (is_new && !is_for_next)
    stack_.context().memory.be(view_.space());  // exec
  return is_for_next;
}

// The running thread is left.
void RunningThread::park() {
  Context& context = stack_.context();
  context.parked_hart = hart_;
  const bool is_over = is_dead();
  if (context.is_guessed() && is_over)
    guesses_.decide(context);
  else if (context.is_guessed())
    guesses_.simplify(context);
  look_for_birth(context);
  if (is_over) {
    stack_.end_thread();
    contexts_.note_end(context.thread);
  } else {
    contexts_.park(std::move(context));
  }
}

// It has ended: it never runs again.
bool RunningThread::is_dead() const {
  const Frames& frames = stack_.frames();
  constexpr std::size_t kDepth = 4;  // __schedule, __switch_to
  for (std::size_t i = frames.size(), n = 0; i > 0 && n < kDepth; --i, ++n)
    if (landmarks_.is_end_of_thread(frames[i - 1].function)) return true;
  return false;
}

const Context* RunningThread::by_thread_pointer() const {
  if (thread_pointer_ == 0) return nullptr;
  const auto at =
      std::ranges::find_if(contexts_.all(), [&](const Context& context) {
        return context.thread_pointer == thread_pointer_ &&
               context.frames.size() >= 2 &&
               context.frames.back().returns_to(stack_.to().pc);
      });
  return at == contexts_.all().end() ? nullptr : &*at;
}

// Resumes a parked thread, or a new one.
void RunningThread::resume(const Context* parked) {
  ++switches_;
  stack_.context() = parked == nullptr ? contexts_.make(hart_)
                                       : contexts_.take(parked->thread);
  stack_.say("thread " + std::to_string(running().thread));
}

void RunningThread::switch_thread(std::uint64_t tracked) {
  const bool has_changed = note_space_change(tracked);
  park();
  const Context* const known = by_thread_pointer();
  resume(known);
  Context& context = stack_.context();
  if (has_satp_) context.memory.resume(view_.space(), has_changed);
  context.thread_pointer = thread_pointer_;
  if (known != nullptr) {
    // It was in __switch_to as well.
    stack_.pop_to(stack_.frames().size() - 1);
  } else if (stack_.to().is_entry()) {
    context.is_new = true;
    stack_.begin_before_user_code();
  } else {
    context.guesses = guesses_.resumed_at(
        stack_.to().pc,
        {.hart = hart_, .has_satp = has_satp_, .has_changed = has_changed});
    if (thread_pointer_ != 0)
      std::erase_if(context.guesses, [&](const ThreadGuess& guess) {
        const Context* const parked = contexts_.find(guess.thread);
        return parked == nullptr || parked->thread_pointer != 0;
      });
    if (!context.guesses.empty()) stack_.begin_level();
  }
}

bool RunningThread::return_past_bottom() {
  Context& context = stack_.context();
  if (!guesses_.explain_return(context, stack_.to().pc)) {
    guesses_.become_new(context);
    return true;
  }
  if (guesses_.is_certain(context)) {
    guesses_.become_first(context);
    return true;
  }
  stack_.begin_level();
  return false;
}

bool RunningThread::return_from_trap() {
  Context& context = stack_.context();
  if (!context.is_guessed()) {
    begin_thread();
    return false;
  }
  bool continues = false;
  if (!guesses_.explain_trap_return(context, stack_.to(), has_satp_,
                                    continues)) {
    guesses_.become_new(context);
    return true;
  }
  if (!continues || guesses_.is_certain(context)) {
    guesses_.become_first(context);
    return true;
  }
  stack_.begin_level();
  return false;
}

void RunningThread::cross_gap() {
  if (running().is_guessed()) guesses_.become_new(stack_.context());
  stack_.cross_gap();
}

void RunningThread::finish() {
  if (running().is_guessed()) guesses_.decide(stack_.context());
  look_for_birth(stack_.context());
  guesses_.decide_all();
}

// Without satp, programs that are not in each other's way share a space.
bool RunningThread::may_be_here(const Context& context) const {
  if (has_satp_ || context.frames.empty()) return true;
  const Frames& frames = context.frames;
  for (std::size_t i = 1; i < frames.size(); ++i)
    if (const auto tells = view_.is_one_process(
            frames[i].site, frames[i - 1].function, stack_.to()))
      return *tells;
  return view_.map().function(frames.front().function).image ==
         stack_.to().page->image;
}

bool RunningThread::is_other_process() const {
  const CodePoint& from = stack_.from();
  const auto length = static_cast<std::uint64_t>(from.flow.length());
  return !has_satp_ && from.flow.kind() == FlowKind::kPlain &&
         stack_.to().pc != from.pc + length && view_.is_of_program(from) &&
         view_.is_of_program(stack_.to()) &&
         view_.is_one_process(from.pc, from.function, stack_.to()) == false;
}

bool RunningThread::change_process() {
  // A source may report it late: if a jump leads here, the function that jumped
  // already belonged to this process.
  const bool is_late = stack_.leads_there() == true;
  const auto found =
      std::ranges::find_if(contexts_.all(), [&](const Context& context) {
        return context.space == view_.space() && may_be_here(context);
      });
  const Context* const other =
      found == contexts_.all().end() ? nullptr : &*found;
  park();
  resume(other);
  if (is_late && stack_.frames().empty()) {
    stack_.begin_in(stack_.from().function, stack_.from().layer);
    return true;
  }
  cross_gap();
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
    const auto found = std::ranges::find_if(contexts_.all(), is_told);
    const Context* const other =
        found == contexts_.all().end() ? nullptr : &*found;
    park();
    resume(other);
    cross_gap();
  }
  ThreadFacts& facts = contexts_.threads()[running().thread];
  facts.pid = told_->pid;
  facts.tid = told_->tid;
  facts.name = std::move(told_->name);
  told_.reset();
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Threads and programs that start while they are traced.
//
// A thread is created by another one in a system call and returns from the same
// call when it first runs, now or later. What follows shows what it is: a
// process created by fork continues as its parent does, on a copy of its stack,
// one created by vfork on that stack itself; a thread has its own stack, with
// clone as the outermost function.
#include <algorithm>
#include <array>
#include <optional>
#include <ranges>
#include <utility>

#include "itrace/stacks/running_thread.h"

namespace wick {
namespace {

// Deeper ones are not kept; see Contexts::kMaxBirths.
constexpr std::size_t kMaxInherited = Accounts::kMaxDepth;

// Functions whose system call returns twice, the second time on a new stack.
bool makes_threads(std::string_view name) {
  constexpr std::array<std::string_view, 4> names = {"clone", "__clone",
                                                     "clone3", "__clone3"};
  return std::ranges::find(names, name) != names.end();
}

// Functions whose child shares the memory and the stack of its parent.
bool lends_stack(std::string_view name) {
  constexpr std::array<std::string_view, 3> names = {"vfork", "__vfork",
                                                     "__libc_vfork"};
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void RunningThread::note_birth() {
  contexts_.begin_birth();
  if (!running().is_guessed()) return note_birth_by(running());
  // The new thread shows who created it by where it begins.
  for (const ThreadGuess& guess : running().guesses)
    if (const Context* const parent = contexts_.find(guess.thread))
      note_birth_by(*parent);
}

void RunningThread::note_birth_by(const Context& parent) {
  if (parent.traps.empty()) return;
  const std::size_t size = parent.traps.front();
  if (size < 2 || size > kMaxInherited ||
      parent.frames[size - 2].layer != Layer::kUser)
    return;
  contexts_.note_birth(
      {.frames = {parent.frames.begin(),
                  parent.frames.begin() + static_cast<std::ptrdiff_t>(size)},
       .thread = parent.thread,
       .space = parent.space,
       .jump_points = parent.jump_points});
}

void RunningThread::begin_thread() {
  stack_.pop_to(0);
  Context& context = stack_.context();
  const CodePoint& to = stack_.to();
  if (to.layer != Layer::kUser || !std::exchange(context.is_new, false)) {
    // The trap was taken before the trace began.
    ++stack_.counts().resynchronised;
    return;
  }
  ThreadFacts& facts = contexts_.threads()[context.thread];
  // A thread of the kernel became a program.
  if (view_.is_program_entry(to)) return begin_process(facts);
  stack_.reach_user_code();
  std::optional<Contexts::Birth> birth = contexts_.take_birth(to.pc);
  if (!birth) birth = parked_parent();
  if (!birth) return;
  birth->frames.pop_back();  // the trap
  const bool knows_memory = has_satp_ && birth->space != SpaceId::kNone;
  const bool shares_memory = knows_memory && birth->space == view_.space();
  const std::string_view name = view_.map().function(to.function).name;
  facts.creator = birth->thread;
  if ((shares_memory && !lends_stack(name)) || makes_threads(name)) {
    context.inherited = std::move(birth->frames);  // but see return_to_parent
    return;
  }
  stack_.adopt(birth->frames);
  context.jump_points = std::move(birth->jump_points);
  if (knows_memory)
    begin_process(facts);
  else if (!context.frames.empty()) {
    context.birth_depth = static_cast<std::uint32_t>(context.frames.size());
    context.birth_site = context.frames.back().site;
  }
}

void RunningThread::begin_process(ThreadFacts& facts) {
  facts.begins_process = true;
  facts.creator.reset();
}

// A thread has a stack of its own and never returns from where it began.
void RunningThread::look_for_birth(Context& context) {
  if (context.birth_depth == 0) return;
  const Frames& frames = context.frames;
  if (frames.size() >= context.birth_depth &&
      frames[context.birth_depth - 1].site == context.birth_site)
    return;
  begin_process(contexts_.threads()[context.thread]);
  context.birth_depth = 0;
}

// If the kernel's functions are not known: a parked thread that waits for the
// same system call.
std::optional<Contexts::Birth> RunningThread::parked_parent() const {
  const std::uint64_t pc = stack_.to().pc;
  for (const Context& parent : contexts_.all() | std::views::reverse) {
    if (parent.traps.empty()) continue;
    const std::size_t size = parent.traps.front();
    if (size < 2 || size > kMaxInherited) continue;
    const StackFrame& trap = parent.frames[size - 1];
    if (parent.frames[size - 2].layer != Layer::kUser || trap.site == pc ||
        !trap.resumes_at(pc))
      continue;
    return Contexts::Birth{
        .frames = {parent.frames.begin(),
                   parent.frames.begin() + static_cast<std::ptrdiff_t>(size)},
        .thread = parent.thread,
        .space = parent.space,
        .jump_points = parent.jump_points};
  }
  return {};
}

void RunningThread::begin_program() {
  if (running().is_guessed()) guesses_.decide(stack_.context());
  Context& context = stack_.context();
  // exec in a thread would end all others.
  if (std::exchange(context.birth_depth, 0) != 0)
    begin_process(contexts_.threads()[context.thread]);
  stack_.pop_to(0);
  const ThreadFacts before = contexts_.threads()[context.thread];
  contexts_.note_end(context.thread);
  context.thread = contexts_.make(hart_).thread;
  context.space = SpaceId::kNone;
  context.inherited.clear();
  context.jump_points.clear();
  context.is_other_program = false;
  ThreadFacts& facts = contexts_.threads()[context.thread];
  facts.pid = before.pid;
  facts.tid = before.tid;
  facts.name = before.name;
  begin_process(facts);
  stack_.say("thread " + std::to_string(context.thread));
}

// Nothing of the loader is left on the stack: whatever seems to be is another
// thread's.
void RunningThread::enter_program() {
  if (running().is_guessed()) guesses_.decide(stack_.context());
  ++stack_.counts().resynchronised;
  stack_.pop_to(0);
}

}  // namespace wick

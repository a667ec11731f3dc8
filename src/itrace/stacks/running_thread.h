// SPDX-License-Identifier: Apache-2.0
// Which thread runs on a hart. A thread that is left is parked with its stack
// until a hart resumes it; threads and programs begin and end.
//
// All threads leave and resume at the same instruction, the return of the
// kernel's __switch_to, so the pc does not tell which thread it is. The thread
// pointer does, if it is known; else see ThreadGuesses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "itrace/formats/instruction.h"
#include "itrace/stacks/call_stack.h"
#include "itrace/stacks/code_view.h"
#include "itrace/stacks/contexts.h"
#include "itrace/stacks/landmarks.h"
#include "itrace/stacks/thread_guesses.h"

namespace wick {

class RunningThread {
 public:
  RunningThread(CodeView& view, const Landmarks& landmarks, CallStack& stack,
                Accounts& accounts, Contexts& contexts, std::uint32_t hart)
      : view_(view),
        landmarks_(landmarks),
        stack_(stack),
        contexts_(contexts),
        guesses_(view, accounts, contexts),
        hart_(hart) {}

  std::uint64_t switches() const { return switches_; }

  // --- What the trace tells

  void tell_context(const ContextChange& change);
  // Which thread runs next, once it does.
  void tell_thread(ThreadFacts facts) { told_ = std::move(facts); }
  bool is_told() const { return told_.has_value(); }
  void apply_told();

  // --- What transfers show

  // The hart runs in another address space, after that many instructions.
  void change_space(SpaceId space, std::uint64_t tracked);
  // The kernel continues as another thread.
  void switch_thread(std::uint64_t tracked);
  // A thread that is guessed returns past the bottom of its frames. These two
  // return true if the transfer remains to be made, now that it is known.
  bool return_past_bottom();
  // The kernel returns to user code that it did not come from, or a thread that
  // is guessed returns from a trap.
  bool return_from_trap();
  // Instructions are missing.
  void cross_gap();
  // The trace is over.
  void finish();
  // The kernel is about to wake a new thread: remembers the parent's stack.
  void note_birth();
  // A new program starts with an empty stack and a root of its own: the thread
  // is the same, the program is not.
  void begin_program();
  void enter_program();
  // Whether an instruction that does not jump is followed by another program's,
  // in a trace without satp.
  bool is_other_process() const;
  // From one program to another without the kernel, which was not traced, or
  // not all the time. True if a transfer remains to be made in the new one.
  bool change_process();

 private:
  using Frames = std::vector<StackFrame>;
  const Context& running() const { return stack_.context(); }
  bool note_space_change(std::uint64_t tracked);
  void park();
  void resume(const Context* parked);
  const Context* by_thread_pointer() const;
  bool may_be_here(const Context& context) const;
  bool is_dead() const;
  void note_birth_by(const Context& parent);
  void begin_thread();
  static void begin_process(ThreadFacts& facts);
  void look_for_birth(Context& context);
  std::optional<Contexts::Birth> parked_parent() const;

  CodeView& view_;
  const Landmarks& landmarks_;
  CallStack& stack_;
  Contexts& contexts_;
  ThreadGuesses guesses_;
  std::uint32_t hart_;
  std::uint64_t switches_ = 0;
  std::uint64_t thread_pointer_ = 0;
  bool has_satp_ = false;
  // Since the last switch; and after that many instructions.
  bool space_has_changed_ = false;
  std::uint64_t space_changed_at_ = 0;
  std::optional<ThreadFacts> told_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Which of the parked threads has resumed, if the trace does not tell.
//
// What follows shows it: the functions that were active when a thread was left
// return, one after the other, to the callers on that thread's stack, and it
// goes on in user code where that was interrupted. Until only one thread
// explains all of that, or those that do have the same callers, what runs has a
// stack of its own, and what it costs is pending (see Accounts).
//
// Of threads that nothing tells apart, it is the one that has waited longest:
// the kernel wakes threads in this order. One that was left again before it was
// known, because an interrupt woke a more urgent one, is not the next to go on,
// but the one after that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "itrace/stacks/accounts.h"
#include "itrace/stacks/code_point.h"
#include "itrace/stacks/code_view.h"
#include "itrace/stacks/contexts.h"

namespace wick {

class ThreadGuesses {
 public:
  ThreadGuesses(CodeView& view, Accounts& accounts, Contexts& contexts)
      : view_(view), accounts_(accounts), contexts_(contexts) {}

  struct Switch {
    std::uint32_t hart = 0;
    bool has_satp = false;
    // The kernel has changed the address space for the next thread.
    bool has_changed = false;
  };
  // The parked threads that may resume at `pc`, the likeliest first.
  std::vector<ThreadGuess> resumed_at(std::uint64_t pc,
                                      const Switch& how) const;

  // What a thread that is guessed does next. Only guesses that explain it
  // remain, unless none does: then false, and the thread is none of them.
  //
  // It returns past the bottom of its own frames.
  bool explain_return(Context& context, std::uint64_t pc);
  // It returns from a trap that its own frames do not have. `continues` tells
  // whether that leads to where a guess was interrupted, or elsewhere (a
  // signal, another program).
  bool explain_trap_return(Context& context, const CodePoint& to, bool has_satp,
                           bool& continues);
  // Whether its first guess is certain enough.
  bool is_certain(const Context& context) const;

  // It is the thread of its first guess.
  void become_first(Context& context);
  // It is a thread that was not known before.
  void become_new(Context& context);
  // Nothing more will be seen of it.
  void decide(Context& context);
  // Of all parked threads.
  void decide_all();
  // It is left. What may be two threads, one on top of the other, is decided.
  void simplify(Context& context);

 private:
  class Stack;
  // How well a guess explains what happens, the best first.
  enum class Tier : std::uint8_t {
    kExact,
    kTarget,  // where a jump leads that the trap interrupted
    kNear,    // to code near that of its callers
    kSkipped,
    kUnknownCaller,
    kImpossible
  };
  Tier explain_resumption(const StackFrame& trap, const StackFrame& interrupted,
                          const Context& thread, const CodePoint& to,
                          bool& continues) const;
  Tier explain_program(const CodePoint& to) const;
  Tier explain_elsewhere(const StackFrame& trap, const StackFrame& interrupted,
                         const Context& thread, const CodePoint& to) const;
  std::optional<bool> is_its_code(const Stack& stack, std::size_t from,
                                  const CodePoint& to) const;
  Stack stack_of(const ThreadGuess& guess) const;
  void add_guesses(const Context& parked, const Switch& how,
                   std::vector<ThreadGuess>& out) const;
  bool returns_to_user_code(const ThreadGuess& guess) const;
  bool have_same_rest(const Context& context) const;
  // A new program was loaded, but has not run yet.
  bool is_other_program(const ThreadGuess& guess) const;
  bool may_be_here(const ThreadGuess& guess) const;
  Context take(const ThreadGuess& guess);
  void join(Context& context, const ThreadGuess& guess, Context thread);
  void settle_levels(Context& context, const ThreadGuess& guess,
                     const Context& thread);

  CodeView& view_;
  Accounts& accounts_;
  Contexts& contexts_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Which thread runs on a hart. A thread that is left is parked with its stack
// until a hart resumes it; threads and programs begin and end.
//
// All threads leave and resume at the same instruction, the return of the
// kernel's __switch_to, so the pc does not tell which thread it is. The thread
// pointer does, if it is known. Otherwise, what follows does: the functions
// that were active when a thread was left return, one after the other, to the
// callers on that thread's stack.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "itrace/formats/instruction.h"
#include "itrace/stacks/call_stack.h"
#include "itrace/stacks/code_view.h"
#include "itrace/stacks/contexts.h"
#include "itrace/stacks/landmarks.h"

namespace wick {

class RunningThread {
 public:
  RunningThread(CodeView& view, const Landmarks& landmarks, CallStack& stack,
                Contexts& contexts, std::uint32_t hart)
      : view_(view),
        landmarks_(landmarks),
        stack_(stack),
        contexts_(contexts),
        hart_(hart) {}

  std::uint64_t switches() const { return switches_; }

  // --- What the trace tells

  void tell_context(const ContextChange& change);
  // Which thread runs next, once it does.
  void tell_thread(ThreadFacts facts) { told_ = std::move(facts); }
  bool is_told() const { return told_.has_value(); }
  void apply_told();

  // --- What transfers show

  // The instructions that follow, as far as they are known.
  struct Ahead {
    const TraceBlock* block = nullptr;
    const TraceBlock* next = nullptr;  // may be null
    std::size_t at = 0;                // of the one it leads to, in `block`
    const Retired* operator[](std::size_t steps) const;
  };
  // The kernel continues as another thread. `tracked` is the number of
  // instructions before: no more than that are looked at ahead.
  void switch_thread(const Ahead& ahead, std::uint64_t tracked);
  // The kernel is about to wake a new thread: remembers the parent's stack.
  void note_birth();
  // The kernel returns to user code that it did not come from.
  void begin_thread();
  // A new program starts with an empty stack and a root of its own: the thread
  // is the same, the program is not.
  void begin_program();
  // From one program to another without the kernel, which was not traced, or
  // not all the time. True if a transfer remains to be made in the new one.
  bool change_process();

 private:
  using Frames = std::vector<StackFrame>;
  const Context& running() const { return stack_.context(); }
  void resume(std::size_t row);
  std::optional<Contexts::Birth> parked_parent() const;

  // A parked thread that may be the one that resumes.
  struct Candidate {
    std::size_t row;
    // The frame that runs once all frames above it have returned.
    std::size_t frame;
  };
  // What the next instructions show about the thread that resumes at `pc`.
  struct Lookahead {
    std::uint64_t pc = 0;
    FunctionId function = FunctionId::kNone;  // of pc
    std::size_t steps = 0;                    // the most to look at
    std::size_t at = 0;                       // the last one looked at
    int proofs = 0;                           // returns that match
    // kSwitch: another thread resumes at `pc`.
    enum class End : std::uint8_t { kNothing, kUser, kSwitch };
    End end = End::kNothing;
    bool is_proven() const;
  };
  std::size_t find_resumed();
  bool may_resume(const Context& context, std::uint64_t pc) const;
  void narrow(std::vector<Candidate>& alive, Lookahead& look);
  void prefer_interrupted(std::vector<Candidate>& alive,
                          const std::vector<Candidate>& all, Lookahead& look);
  bool skip_to_switch(Lookahead& look);
  std::uint64_t skip_to_user(Lookahead& look);
  std::vector<Candidate> interrupted_at(
      std::uint64_t pc, const std::vector<Candidate>& all) const;
  void find_by_user_code(std::vector<Candidate>& alive, Lookahead& look);
  const Frames& frames_of(const Candidate& candidate) const;

  CodeView& view_;
  const Landmarks& landmarks_;
  CallStack& stack_;
  Contexts& contexts_;
  std::uint32_t hart_;
  std::uint64_t switches_ = 0;
  std::uint64_t thread_pointer_ = 0;
  bool has_satp_ = false;
  std::optional<ThreadFacts> told_;
  Ahead ahead_;
  std::uint64_t tracked_ = 0, looked_ahead_ = 0;
  bool left_again_ = false;  // the thread sought by find_resumed() was
};

}  // namespace wick

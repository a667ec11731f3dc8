// SPDX-License-Identifier: Apache-2.0
// The stack of the thread that runs on a hart, and how calls, returns and traps
// change it.
//
// A frame is a call site and thereby a return address; names play no part, so
// recursion and functions of the same name are correct by construction.
//
// What a transfer does follows from its instruction, from the layers (user,
// kernel, machine) that it leaves and reaches, and, if the text is not known,
// from where it lands. If that contradicts the stack, a repair makes the
// smallest change that explains it: call_stack_repairs.cc has them, each with
// its reason; signals.cc has signals.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "itrace/code/places.h"
#include "itrace/stacks/accounts.h"
#include "itrace/stacks/code_point.h"
#include "itrace/stacks/code_view.h"
#include "itrace/stacks/contexts.h"
#include "itrace/stacks/landmarks.h"

namespace wick {

class CallStack {
 public:
  using Kind = StackFrame::Kind;
  using Frames = std::vector<StackFrame>;
  // Called with a line for each push and pop: for tests. May be empty.
  using Transcript = std::function<void(const std::string&)>;

  struct Counts {
    std::uint64_t calls = 0, traps = 0;
    std::uint64_t resynchronised = 0;  // steps the stack did not explain
    std::uint64_t unwound = 0;         // frames left without a return
  };

  CallStack(CodeView& view, const Landmarks& landmarks, Places& places,
            Accounts& accounts, Context context, Transcript transcript);

  // The thread that runs.
  Context& context() { return context_; }
  const Context& context() const { return context_; }
  // The last instruction, and where the transfer leads.
  CodePoint& from() { return from_; }
  const CodePoint& from() const { return from_; }
  CodePoint& to() { return to_; }
  const CodePoint& to() const { return to_; }
  const Frames& frames() const { return context_.frames; }
  const StackFrame& top() const { return context_.frames.back(); }
  // The first frame above the innermost trap.
  std::size_t segment_start() const;
  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }

  // What happens to threads is decided elsewhere.
  enum class Then : std::uint8_t {
    kNothing,
    kSwitch,      // the kernel continues as another thread
    kTrapIsOver,  // one that is not on the stack
    kPastBottom,  // a thread that is guessed returns to its caller
    kProgram,     // a new program begins
    kEntry,       // a program begins that its loader has loaded
  };
  struct Transfer {
    bool is_marked_trap = false;
    bool has_words = false;  // the trace has instruction words
    std::uint32_t word = 0;  // of the instruction it leads to
  };
  // Moves frames for a transfer from `from()` to `to()`.
  Then transfer(const Transfer& how);
  // Instructions between the two are missing. If the next one is in a function
  // on the stack, that frame is assumed to continue; else nothing on the stack
  // is known to be valid.
  void cross_gap();
  // Whether `from()` jumps exactly there; nothing if its target is not known.
  std::optional<bool> leads_there() const {
    return view_.leads_to(from_, to_.pc);
  }
  // from() is now where the transfer led, except for its pc and flow.
  void arrive();
  // Whatever the transfer did, the function on top is the one that runs.
  void correct_top();

  void pop_to(std::size_t size);
  void begin_in(FunctionId function, Layer layer);
  // The thread is new: what it does until it reaches user code will be on top
  // of that.
  void begin_before_user_code();
  void reach_user_code();
  // Nothing of this thread is going to change.
  void end_thread();
  // A thread that is guessed goes on in a caller.
  void begin_level();
  // Makes the frames of another thread those of this one.
  void adopt(std::span<const StackFrame> frames);
  void say(const std::string& line) const;

 private:
  // --- call_stack.cc: transfers that are as expected
  void move();
  bool is_trap_entry() const;
  void note_trap_vector();
  void push(Kind kind, CallNodeId pending = CallNodeId::kRoot);
  void replace_top();
  void jump();
  bool branch_to_part();
  void trap();
  void trap_again();
  bool is_target_open() const;
  CallNodeId open_place();
  CallNodeId bottom_caller();
  void hold(std::size_t frame);
  void go_back_to(const StackFrame& trapped);
  void trap_return();
  void function_return();
  CallNodeId child_of_top(FunctionId function);
  bool is_sequential() const;
  bool jumps_to_next() const;
  bool has_name(FunctionId function) const { return view_.has_name(function); }
  StackFrame& top_frame() { return context_.frames.back(); }
  void say_top(const char* what) const;

  // --- call_stack_repairs.cc: transfers that are not
  bool return_deeper();
  bool is_cold_part() const;
  bool land_in_caller();
  bool is_setjmp(FunctionId function);
  void note_jump_point();
  bool return_to_jump_point();
  bool return_to_parent();
  void return_past_bottom();
  void unexplained_step();
  void resume_elsewhere();
  void infer();
  void learn_call_length(const StackFrame& frame);
  void learn_tail_calls(std::size_t from);
  void learn_trap_return();

  // --- signals.cc
  bool is_signal();
  void begin_signal();
  bool return_from_handler();
  bool return_from_signal();

  CodeView& view_;
  const CodeMap& map_;
  const Landmarks& landmarks_;
  Places& places_;
  Accounts& accounts_;
  Transcript transcript_;
  Context context_;
  Counts counts_;
  CodePoint from_, to_;
  Transfer how_;
  Then then_ = Then::kNothing;
  // Where traps led from a lower layer.
  static constexpr std::size_t kMaxVectors = 16;
  std::vector<std::uint64_t> trap_vectors_;
  std::size_t returning_ = 0;  // nested calls of trap_return()
  // Of traps that are over: they interrupted what runs now.
  std::vector<CallNodeId> held_;

  std::vector<bool> is_setjmp_, is_setjmp_known_;  // by function
  std::vector<FunctionId> signal_handlers_;        // seen so far
  struct KnownJump {
    const CodePage* page = nullptr;
    std::uint64_t from = 0, to = 0;
  };
  std::array<KnownJump, 256> known_jumps_{};  // checked: not signals
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Rebuilds the stack of a hart from the instructions it retired, and attributes
// every cycle to one stack.
//
// A frame is a call site and thereby a return address; names play no part, so
// recursion and functions of the same name are correct by construction. Only
// transfers do work: a sequential instruction costs a look-up and an addition.
//
// What a transfer does follows from its instruction, from the layers (user,
// kernel, machine) that it leaves and reaches, and, if the text is not known,
// from where it lands. If that contradicts the stack, a repair makes the
// smallest change that explains it: stack_repairs.cc has them, each with its
// reason.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "itrace/code/code_map.h"
#include "itrace/code/places.h"
#include "itrace/formats/instruction.h"
#include "itrace/stacks/accounts.h"
#include "itrace/stacks/contexts.h"
#include "profile/format.h"

namespace wick {

// What is counted in addition to Accounts.
struct TrackerCounts {
  std::uint64_t instructions = 0, calls = 0, traps = 0, switches = 0;
  std::uint64_t first_cycle = 0, last_cycle = 0;  // of the trace
  std::uint64_t weight = 0;                       // attributed so far
  std::uint64_t resynchronised = 0;  // steps the stack did not explain
  std::uint64_t unwound = 0;         // frames left without a return
  std::uint64_t time_disorder = 0;   // cycles that go back
};

class StackTracker {
 public:
  struct Options {
    Attribution attribution = Attribution::kNextCommitting;
    std::uint32_t hart = 0;
    bool has_traps = false;  // as in TraceInfo
    // Called whenever the stack, or the place in its function, changes, with
    // the weight of the previous one: for flame charts. May be empty.
    std::function<void(std::uint64_t cycle, CallNodeId node,
                       std::uint16_t place, std::uint64_t weight)>
        slice;
    // Called with a line for each push and pop: for tests. May be empty.
    std::function<void(const std::string&)> transcript;
  };

  StackTracker(CodeMap& map, Places& places, Accounts& accounts,
               Contexts& contexts, Options options);

  // Tracks the next block of this hart. `next` is the block after it (null at
  // the end), which is only used to see which thread resumes. `spaces` is the
  // result of CodeMap::learn() for `block`.
  void track(const TraceBlock& block, const TraceBlock* next,
             std::span<const SpaceChange> spaces);
  // Call after the last block.
  void finish();

  const TrackerCounts& counts() const { return counts_; }
  const std::vector<StackFrame>& frames() const { return context_.frames; }
  // The functions of the stack, outermost first, for tests and messages.
  std::string describe() const;

 private:
  using Kind = StackFrame::Kind;

  // --- stack_tracker.cc
  void attribute_cycles(const TraceBlock& block);
  void add_up_groups(const std::vector<Retired>& all);
  std::uint64_t sum_before(std::size_t at) const;
  std::uint64_t stall_before(std::size_t at, Flow flow, bool transferred) const;
  void apply_events(std::size_t at);
  std::size_t next_event(std::size_t at) const;
  void run(std::size_t from, std::size_t to);
  CodePage& page_at(std::uint64_t pc);
  void enter(std::size_t at, std::uint64_t pc);
  void dispatch(std::uint64_t pc);
  Flow flow_before(std::size_t at) const;
  Layer layer_reached(std::uint64_t pc) const;
  void land(std::uint64_t pc);
  void begin_slice(std::size_t at, std::uint16_t place);
  void end_slice();

  // --- stack_moves.cc: transfers that are as expected
  void push(Kind kind, std::uint64_t pc);
  void pop_to(std::size_t size);
  void replace_top();
  void begin_in(FunctionId function, Layer layer);
  void jump(std::uint64_t pc);
  bool branch_to_part();
  void trap(std::uint64_t pc);
  void trap_again(std::uint64_t pc);
  void go_back_to(const StackFrame& trapped);
  void trap_return(std::uint64_t pc);
  void function_return(std::uint64_t pc);
  CallNodeId child_of_top(FunctionId function);
  std::size_t segment_start() const;
  bool is_sequential(std::uint64_t pc) const;
  bool jumps_to_next(std::uint64_t pc) const;
  bool is_entry(std::uint64_t pc) const {
    return next_page_->flow[CodePage::slot(pc)].is_entry();
  }
  // All code of a file without symbols is one function without a name.
  bool has_name(FunctionId function) const {
    return !map_.function(function).name.empty();
  }
  StackFrame& top() { return context_.frames.back(); }
  void say(const char* what) const;

  // --- stack_repairs.cc: transfers that are not
  bool return_deeper(std::uint64_t pc);
  bool is_cold_part() const;
  bool land_in_caller();
  bool return_to_parent(std::uint64_t pc);
  void return_past_bottom(std::uint64_t pc);
  void cross_gap();
  void unexplained_step(std::uint64_t pc);
  void resume_elsewhere(std::uint64_t pc);
  void infer(std::uint64_t pc);
  void learn_call_length(const StackFrame& frame, std::uint64_t pc);
  void learn_tail_calls(std::size_t from);
  void learn_trap_return();

  // --- thread_birth.cc: threads and programs that start
  void note_birth();
  void begin_thread(std::uint64_t pc);
  std::optional<Contexts::Birth> parked_parent(std::uint64_t pc) const;
  void begin_program();
  bool is_program_entry(std::uint64_t pc) const;
  void adopt(std::span<const StackFrame> frames);

  // --- signals.cc
  bool is_signal(std::uint64_t pc);
  std::optional<bool> leads_to(std::uint64_t pc) const;
  void begin_signal(std::uint64_t pc);
  bool return_from_handler();
  bool return_from_signal(std::uint64_t pc);
  std::uint32_t word_at(std::uint64_t pc, const CodePage& page) const;

  // --- thread_switch.cc
  void switch_thread(std::uint64_t pc);
  void change_process(std::uint64_t pc);
  void apply_told_thread();
  void resume(std::size_t row);
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
  std::size_t find_resumed(std::uint64_t pc);
  bool may_resume(const Context& context, std::uint64_t pc) const;
  void narrow(std::vector<Candidate>& alive, Lookahead& look);
  void prefer_interrupted(std::vector<Candidate>& alive,
                          const std::vector<Candidate>& all, Lookahead& look);
  bool skip_to_switch(Lookahead& look);
  std::uint64_t skip_to_user(Lookahead& look);
  std::vector<Candidate> interrupted_at(
      std::uint64_t pc, const std::vector<Candidate>& all) const;
  void find_by_user_code(std::vector<Candidate>& alive, Lookahead& look);
  const std::vector<StackFrame>& frames_of(const Candidate& candidate) const;
  const Retired* ahead(std::size_t steps) const;

  CodeMap& map_;
  Places& places_;
  Accounts& accounts_;
  Contexts& contexts_;
  Options options_;
  TrackerCounts counts_;

  Context context_;  // of the thread that runs
  Layer layer_ = Layer::kUnknown;
  SpaceId space_ = SpaceId::kNone;
  Privilege privilege_ = Privilege::kUnknown;
  std::uint64_t thread_pointer_ = 0;
  std::uint32_t generation_ = 0;
  bool started_ = false, gap_ = false, trap_marked_ = false, exec_seen_ = false;
  bool process_changed_ = false, has_satp_ = false;
  // The thread that the trace says runs next, until it does.
  std::optional<ThreadFacts> told_thread_;

  // The previous instruction.
  std::uint64_t pc_ = 0;
  Flow flow_;
  std::uint32_t last_bits_ = 0;
  std::uint32_t last_counter_ = 0;
  struct NearPage {
    std::uint64_t page_pc = 0;
    CodePage* page = nullptr;
  };
  std::array<NearPage, 256> near_pages_{};  // of space_
  CodePage* page_ = nullptr;
  // kNoPage: the next instruction is looked up and does not count as
  // sequential.
  static constexpr std::uint64_t kNoPage = 1;
  std::uint64_t page_pc_ = kNoPage;
  FunctionId function_ = FunctionId::kNone;
  // Of the target of a transfer.
  CodePage* next_page_ = nullptr;
  FunctionId next_function_ = FunctionId::kNone;
  Layer next_layer_ = Layer::kUnknown;

  const TraceBlock* block_ = nullptr;
  const TraceBlock* next_block_ = nullptr;
  std::span<const SpaceChange> spaces_;
  std::size_t at_ = 0;  // index into the block
  std::size_t context_at_ = 0, trap_at_ = 0, space_at_ = 0, fact_at_ = 0;
  // See attribute_cycles().
  std::vector<std::uint64_t> sums_;
  // Where cycles decrease: from here on, sum = cycle + sum_offset.
  struct StepBack {
    std::size_t at;
    std::uint64_t sum_offset;
  };
  std::vector<StepBack> steps_back_;
  std::size_t step_back_ = 0;  // the next one
  std::uint64_t previous_cycle_ = 0, block_previous_ = 0, sum_offset_ = 0;
  std::uint32_t turn_ = 0;
  std::uint64_t looked_ahead_ = 0;
  std::size_t returning_ = 0;  // nested calls of trap_return()
  bool left_again_ = false;    // the thread sought by find_resumed() was

  std::uint64_t slice_start_ = 0, slice_weight_ = 0;
  CallNodeId slice_node_ = CallNodeId::kRoot;
  std::uint16_t slice_place_ = 0;

  // Functions of the kernel and the SBI, found by name.
  std::vector<FunctionId> trap_entries_, trap_exits_;
  std::vector<FunctionId> signal_handlers_;  // seen so far
  struct KnownJump {
    const CodePage* page = nullptr;
    std::uint64_t from = 0, to = 0;
  };
  std::array<KnownJump, 256> known_jumps_{};  // checked: not signals
  FunctionId switch_to_ = FunctionId::kNone;
  FunctionId wake_new_ = FunctionId::kNone, sigreturn_ = FunctionId::kNone;
};

}  // namespace wick

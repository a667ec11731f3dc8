// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/stack_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "object/demangle/demangle.h"

namespace wick {
namespace {

// Transfers that stay in their function if they land in it.
constexpr bool is_local(FlowKind kind) {
  return kind == FlowKind::kBranch || kind == FlowKind::kJump;
}

// After an instruction that flushes the pipeline, nothing can retire for a
// while, and it is responsible for the wait. So is a mispredicted jump, but a
// trace does not show mispredictions: a short wait after a transfer is assumed
// to be one, a long one to be the fetch of the code.
constexpr std::uint64_t kMispredicted = 16;

// Also correct for the -1 before a first cycle of 0.
constexpr std::int64_t cycles_between(std::uint64_t from, std::uint64_t to) {
  return static_cast<std::int64_t>(to - from);
}

bool waits_after(Flow flow, bool transferred, std::uint64_t stall) {
  switch (flow.kind()) {
    case FlowKind::kFlush:
    case FlowKind::kXret:
    case FlowKind::kEcall:
    case FlowKind::kBreak:
    case FlowKind::kWait:
      return true;
    case FlowKind::kBranch:
    case FlowKind::kIndirectJump:
    case FlowKind::kIndirectCall:
    case FlowKind::kReturn:
      return transferred && stall <= kMispredicted;
    default:
      return false;
  }
}

}  // namespace

StackTracker::StackTracker(CodeMap& map, Places& places, Accounts& accounts,
                           Contexts& contexts, Options options)
    : map_(map),
      places_(places),
      accounts_(accounts),
      contexts_(contexts),
      options_(std::move(options)),
      context_(contexts.make(options_.hart)) {
  const auto add = [&](std::vector<FunctionId>& out, const char* name) {
    const FunctionId id = map.find_function(name);
    if (id != FunctionId::kNone) out.push_back(id);
  };
  for (const char* name : {"handle_exception", "_trap_handler", "trap_vector",
                           "trap_entry", "_trap_handler_hyp"})
    add(trap_entries_, name);
  for (const char* name :
       {"ret_from_exception", "restore_all", "resume_userspace",
        "ret_from_syscall", "handle_exception", "ret_from_fork"})
    add(trap_exits_, name);
  switch_to_ = map.find_function("__switch_to");
  for (const char* name : {"__riscv_sys_rt_sigreturn", "sys_rt_sigreturn"})
    if (sigreturn_ == FunctionId::kNone) sigreturn_ = map.find_function(name);
  wake_new_ = map.find_function("wake_up_new_task");
}

// Each instruction gets the time since the previous one. So a run of them gets
// the difference of two cycles, and nothing needs to be stored. Sums are kept
// only if several instructions retire in one cycle: the oldest gets the time
// waited, and the cycle itself goes to each in turn, from group to group, so
// that sums stay integral and none is left out.
void StackTracker::attribute_cycles(const TraceBlock& block) {
  const std::vector<Retired>& all = block.instructions;
  if (!started_ || block.after_gap) previous_cycle_ = all.front().cycle - 1;
  block_previous_ = previous_cycle_;
  sum_offset_ = counts_.weight - previous_cycle_;
  // Collects the signs of all differences.
  std::uint64_t less_one = all.front().cycle - previous_cycle_ - 1;
  if (!block.cycles_rise)
    for (std::size_t i = 1; i < all.size(); ++i)
      less_one |= all[i].cycle - all[i - 1].cycle - 1;
  sums_.clear();
  steps_back_.clear();
  step_back_ = 0;
  if (less_one >> 63 != 0) add_up_groups(all);
  previous_cycle_ = all.back().cycle;
}

void StackTracker::add_up_groups(const std::vector<Retired>& all) {
  sums_.resize(all.size() + 1);
  std::uint64_t previous = previous_cycle_, sum = counts_.weight;
  for (std::size_t i = 0; i < all.size();) {
    const std::uint64_t cycle = all[i].cycle;
    std::size_t end = i + 1;
    while (end < all.size() && all[end].cycle == cycle) ++end;
    std::uint64_t weight = cycle - previous;
    if (cycles_between(previous, cycle) < 0) {  // time goes backwards
      ++counts_.time_disorder;
      weight = 0;
      steps_back_.push_back({i, sum - cycle});
    }
    // A group that began in the previous block has used up its cycle.
    const std::size_t turn = weight == 0 ? 0 : turn_++ % (end - i);
    for (std::size_t k = i; k < end; ++k) {
      sums_[k] = sum;
      sum += (k == i ? weight : 0) + (turn != 0 && k == i + turn ? 1 : 0) -
             (turn != 0 && k == i ? 1 : 0);
    }
    previous = cycle;
    i = end;
  }
  sums_[all.size()] = sum;
}

void StackTracker::track(const TraceBlock& block, const TraceBlock* next,
                         std::span<const SpaceChange> spaces) {
  if (block.instructions.empty()) return;
  if (!started_) counts_.first_cycle = block.instructions.front().cycle;
  attribute_cycles(block);
  block_ = &block;
  next_block_ = next;
  spaces_ = spaces;
  context_at_ = trap_at_ = space_at_ = fact_at_ = 0;
  gap_ = block.after_gap && started_;
  if (gap_) {
    page_pc_ = kNoPage;
    end_slice();
  }
  if (generation_ != map_.generation()) {
    generation_ = map_.generation();
    page_pc_ = kNoPage;
    near_pages_.fill({});
  }
  const std::size_t size = block.instructions.size();
  for (std::size_t at = 0; at < size;) {
    apply_events(at);
    const std::size_t until = std::min(next_event(at), size);
    run(at, until);
    at = until;
  }
  apply_events(size);
  counts_.instructions += size;
  counts_.last_cycle = block.instructions.back().cycle;
  if (!block.bits.empty()) last_bits_ = block.bits.back();
}

void StackTracker::finish() { end_slice(); }

std::size_t StackTracker::next_event(std::size_t at) const {
  std::size_t next = SIZE_MAX;
  const auto consider = [&](std::size_t from) { next = std::min(next, from); };
  if (context_at_ < block_->contexts.size())
    consider(block_->contexts[context_at_].from);
  if (trap_at_ < block_->traps.size())
    consider(block_->traps[trap_at_].at + std::size_t{1});
  if (space_at_ < spaces_.size()) consider(spaces_[space_at_].from);
  if (fact_at_ < block_->facts.size()) consider(block_->facts[fact_at_].from);
  return std::max(next, at + 1);
}

void StackTracker::apply_events(std::size_t at) {
  while (context_at_ < block_->contexts.size() &&
         block_->contexts[context_at_].from <= at) {
    const ContextChange& change = block_->contexts[context_at_++];
    privilege_ = change.privilege;
    has_satp_ = change.has_satp;
    if (change.has_thread_pointer) {
      // The kernel keeps the running thread in tp and changes it in here.
      if (function_ == switch_to_ && switch_to_ != FunctionId::kNone &&
          thread_pointer_ != change.thread_pointer)
        context_.thread_pointer = thread_pointer_;
      thread_pointer_ = change.thread_pointer;
    }
  }
  while (trap_at_ < block_->traps.size() && block_->traps[trap_at_].at < at) {
    ++trap_at_;
    trap_marked_ = true;
    page_pc_ = kNoPage;  // the next one is not sequential, wherever it is
  }
  while (space_at_ < spaces_.size() && spaces_[space_at_].from <= at) {
    const SpaceId space = spaces_[space_at_++].space;
    if (space == space_) continue;
    // Only a kernel switches processes; without it, the trace has a gap here.
    process_changed_ = layer_ == Layer::kUser && space_ != SpaceId::kNone;
    space_ = space;
    page_pc_ = kNoPage;
    near_pages_.fill({});
  }
  while (fact_at_ < block_->facts.size() &&
         block_->facts[fact_at_].from <= at) {
    const SideBandFact& fact = block_->facts[fact_at_++];
    if (fact.kind == SideBandFact::Kind::kThread) {
      told_thread_ =
          ThreadFacts{.pid = fact.pid, .tid = fact.tid, .name = fact.name};
      page_pc_ = kNoPage;  // for land(), after a switch that happens now
    } else if (fact.kind == SideBandFact::Kind::kUnmapAll) {
      exec_seen_ = true;
    }
  }
}

// What all instructions before `at` get, including those of earlier blocks.
std::uint64_t StackTracker::sum_before(std::size_t at) const {
  if (!sums_.empty()) return sums_[at];
  return sum_offset_ +
         (at == 0 ? block_previous_ : block_->instructions[at - 1].cycle);
}

// How much of what instruction `at` gets belongs to the one before it.
std::uint64_t StackTracker::stall_before(std::size_t at, Flow flow,
                                         bool transferred) const {
  if (options_.attribution == Attribution::kNextCommitting || !started_)
    return 0;
  const std::uint64_t weight = sum_before(at + 1) - sum_before(at);
  if (weight <= 1) return 0;
  return options_.attribution == Attribution::kLastCommitted ||
                 waits_after(flow, transferred, weight - 1)
             ? weight - 1
             : 0;
}

// The inner loop. Nothing is counted per instruction: while they belong to the
// same counter, it is one difference in the end.
void StackTracker::run(std::size_t from, std::size_t to) {
  const Retired* const all = block_->instructions.data();
  Accounts::Counter nothing;
  Accounts::Counter* counter =
      started_ ? &accounts_.counter(last_counter_) : &nothing;
  std::size_t counted = from;
  std::uint64_t given = counts_.weight;
  const auto settle = [&](std::size_t until, std::uint64_t sum) {
    counter->weight += sum - given;
    counter->instructions += until - counted;
    counted = until;
    given = sum;
  };

  CodePage* page = page_;
  std::uint64_t page_pc = page_pc_;
  FunctionId function = function_;
  Accounts::Counter* row =
      context_.frames.empty() ? nullptr : accounts_.row(top().node);
  const bool infers = block_->bits.empty();
  std::uint64_t pc = pc_;
  Flow flow = flow_;
  std::uint64_t expected = pc + static_cast<std::uint64_t>(flow.length());
  bool enters = page_pc == kNoPage;
  for (std::size_t i = from;; ++i) {
    // Nearly all instructions: sequential, and for the same counter.
    if (!enters) {
      for (; i < to; ++i) {
        const std::uint64_t next = all[i].pc;
        const std::size_t slot = (next - page_pc) / 2;
        if (next != expected) break;
        const Flow here = page->flow[slot];
        if (!here.goes_on()) break;
        pc = next;
        flow = here;
        expected = pc + static_cast<std::uint64_t>(flow.length());
      }
    }
    if (i == to) break;
    const std::uint64_t next = all[i].pc;
    std::size_t slot = (next - page_pc) / 2;
    const auto is_inside = [&] {
      if (slot >= CodePage::kSlots || page->function(slot) != function)
        return false;
      if (is_local(flow.kind())) return true;
      // In unknown text: a jump, unless it may be something else.
      return infers && flow.kind() == FlowKind::kUnknown && next - pc > 4 &&
             !page->flow[slot].is_entry() && !top().returns_to(next);
    };
    const auto follows = [&] {
      return next == expected && slot < CodePage::kSlots &&
             page->function(slot) == function && !page->flow[slot].is_entry();
    };
    const auto place_there = [&] {
      return accounts_.place_in(top().node, page->place(slot));
    };
    if (enters || (!follows() && !is_inside())) {
      settle(i, sum_before(i) + stall_before(i, flow, next != expected));
      pc_ = pc;
      flow_ = flow;
      counts_.weight = given;
      at_ = i;
      enter(i, next);
      enters = false;
      page = page_;
      page_pc = page_pc_;
      function = function_;
      row = accounts_.row(top().node);
      slot = CodePage::slot(next);
      counter = row + place_there();
      if (options_.slice) begin_slice(i, place_there());
    } else if (Accounts::Counter* const here = row + place_there();
               here != counter) {
      settle(i, sum_before(i) + stall_before(i, flow, next != expected));
      counter = here;
      if (options_.slice) {
        counts_.weight = given;
        begin_slice(i, place_there());
      }
    }
    pc = next;
    flow = page->flow[slot];
    expected = pc + static_cast<std::uint64_t>(flow.length());
  }
  settle(to, sum_before(to));
  counts_.weight = given;
  last_counter_ = static_cast<std::uint32_t>(counter - &accounts_.counter(0));
  pc_ = pc;
  flow_ = flow;
}

CodePage& StackTracker::page_at(std::uint64_t pc) {
  const std::uint64_t page_pc = pc & ~(CodePage::kBytes - 1);
  NearPage& near = near_pages_[pc / CodePage::kBytes % near_pages_.size()];
  if (near.page == nullptr || near.page_pc != page_pc)
    near = {page_pc, &map_.page(space_, pc)};
  return *near.page;
}

Flow StackTracker::flow_before(std::size_t at) const {
  if (block_->bits.empty()) return flow_;
  return decode_riscv(at > 0 ? block_->bits[at - 1] : last_bits_, map_.xlen());
}

// A transfer, or something that looks like one.
void StackTracker::enter(std::size_t at, std::uint64_t pc) {
  next_page_ = &page_at(pc);
  if (next_page_->layer == Layer::kUnknown && privilege_ != Privilege::kUnknown)
    map_.set_layer(*next_page_, layer_reached(pc));
  next_function_ = next_page_->function(CodePage::slot(pc));
  if (!started_) {
    next_layer_ = layer_reached(pc);
  } else if (std::exchange(gap_, false)) {
    next_layer_ = layer_reached(pc);
    cross_gap();
  } else {
    flow_ = flow_before(at);
    Flow& stored = page_->flow[CodePage::slot(pc_)];
    if (!block_->bits.empty()) {
      // Text that was unknown or patched.
      stored = flow_.in_place_of(stored);
    } else if (flow_.length() == 0 && (pc == pc_ + 2 || pc == pc_ + 4)) {
      flow_ =
          Flow(flow_.kind(), static_cast<int>(pc - pc_)).in_place_of(stored);
      stored = flow_;
    }
    next_layer_ = layer_reached(pc);
    if (std::exchange(process_changed_, false) && next_layer_ == Layer::kUser &&
        layer_ == Layer::kUser)
      change_process(pc);
    else
      dispatch(pc);
  }
  started_ = true;
  land(pc);
}

// The layer of a file's code is known; else the trace may tell; else it is the
// layer that ran before, or the one that a trap interrupted.
Layer StackTracker::layer_reached(std::uint64_t) const {
  if (next_page_->image != CodeImageId::kNone) return next_page_->layer;
  switch (privilege_) {
    case Privilege::kUser:
      return Layer::kUser;
    case Privilege::kSupervisor:
      return Layer::kKernel;
    case Privilege::kMachine:
      return Layer::kMachine;
    case Privilege::kUnknown:
      break;
  }
  if (next_page_->layer != Layer::kUnknown) return next_page_->layer;
  if (!started_ || layer_ == Layer::kUnknown) return Layer::kUser;
  const bool leaves =
      flow_.kind() == FlowKind::kXret ||
      (flow_.kind() == FlowKind::kUnknown &&
       std::ranges::find(trap_exits_, function_) != trap_exits_.end());
  if (!leaves) return layer_;
  const std::size_t segment = segment_start();
  return segment >= 2 ? context_.frames[segment - 2].layer : Layer::kUser;
}

void StackTracker::dispatch(std::uint64_t pc) {
  const bool has_returned = flow_.kind() == FlowKind::kXret;
  const bool is_trap_entry =
      is_entry(pc) &&
      std::ranges::find(trap_entries_, next_function_) != trap_entries_.end();
  if (std::exchange(trap_marked_, false) || next_layer_ > layer_)
    return has_returned ? trap_again(pc) : trap(pc);
  if (next_layer_ < layer_) {
    learn_trap_return();
    // M-mode hands an interrupt on to S-mode, as on machines whose timer it
    // has. What it interrupted is interrupted again.
    if (is_trap_entry) return trap_again(pc);
    return trap_return(pc);
  }
  if (is_trap_entry) return has_returned ? trap_again(pc) : trap(pc);
  if (is_sequential(pc) && !jumps_to_next(pc))
    return;  // land() corrects the function
  if (is_signal(pc)) return begin_signal(pc);
  switch (flow_.kind()) {
    case FlowKind::kCall:
    case FlowKind::kIndirectCall:
      return push(Kind::kCall, pc);
    case FlowKind::kReturn:
      return function_return(pc);
    case FlowKind::kSwapLink:
      if (top().kind == Kind::kCall) pop_to(context_.frames.size() - 1);
      if (context_.frames.empty()) return;
      return push(Kind::kCall, pc);
    case FlowKind::kBranch:
    case FlowKind::kJump:
    case FlowKind::kIndirectJump:
      return jump(pc);
    case FlowKind::kXret:
      return trap_return(pc);
    case FlowKind::kEcall:
    case FlowKind::kBreak:
      if (layer_ != Layer::kUser) return trap(pc);
      // In a program traced without its kernel.
      if (return_from_signal(pc)) return;
      return begin_signal(pc);
    case FlowKind::kPlain:
    case FlowKind::kFlush:
    case FlowKind::kWait:
      return unexplained_step(pc);
    case FlowKind::kUnknown:
      return infer(pc);
  }
}

// Whatever the transfer did, the function on top is the one that runs.
void StackTracker::land(std::uint64_t pc) {
  if (next_page_->image == CodeImageId::kNone &&
      next_page_->layer == Layer::kUnknown) {
    // How it was reached shows its layer.
    map_.set_layer(*next_page_, next_layer_);
    next_function_ = next_page_->function(CodePage::slot(pc));
  }
  page_ = next_page_;
  page_pc_ = pc & ~(CodePage::kBytes - 1);
  function_ = next_function_;
  layer_ = next_layer_;
  places_.fill(*page_, CodePage::slot(pc));
  if (told_thread_ && (function_ != switch_to_ || !started_))
    apply_told_thread();
  if (context_.frames.empty()) begin_in(next_function_, next_layer_);
  if (top().function != function_) replace_top();
  if (layer_ == Layer::kUser && space_ != SpaceId::kNone) {
    context_.space = space_;
    contexts_.threads()[context_.thread].space = space_;
  }
}

void StackTracker::begin_slice(std::size_t at, std::uint16_t place) {
  if (slice_node_ == top().node && slice_place_ == place) return;
  end_slice();
  slice_node_ = top().node;
  slice_place_ = place;
  // Right after everything attributed so far: a wait is part of the slice of
  // the stack that it counts for.
  for (; step_back_ < steps_back_.size() && steps_back_[step_back_].at <= at;
       ++step_back_)
    sum_offset_ = steps_back_[step_back_].sum_offset;
  slice_start_ = counts_.weight - sum_offset_ + 1;
}

void StackTracker::end_slice() {
  if (options_.slice && slice_node_ != CallNodeId::kRoot &&
      counts_.weight > slice_weight_)
    options_.slice(slice_start_, slice_node_, slice_place_,
                   counts_.weight - slice_weight_);
  slice_weight_ = counts_.weight;
  slice_node_ = CallNodeId::kRoot;
}

std::string StackTracker::describe() const {
  std::string out;
  for (const StackFrame& frame : context_.frames) {
    if (!out.empty()) out += ';';
    const std::string_view name = map_.function(frame.function).name;
    out += name.empty() ? "?" : demangle(name, Demangle::kShort);
  }
  return out;
}

}  // namespace wick

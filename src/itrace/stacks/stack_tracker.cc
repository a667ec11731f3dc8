// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/stack_tracker.h"

#include <algorithm>
#include <utility>

#include "object/demangle/demangle.h"

namespace wick {
namespace {

// Transfers that stay in their function if they land in it.
constexpr bool is_local(FlowKind kind) {
  return kind == FlowKind::kBranch || kind == FlowKind::kJump;
}

}  // namespace

StackTracker::StackTracker(CodeMap& map, Places& places, Accounts& accounts,
                           Contexts& contexts, Options options)
    : map_(map),
      accounts_(accounts),
      contexts_(contexts),
      landmarks_(map),
      view_(map),
      shares_(options.attribution, std::move(options.slice)),
      stack_(view_, landmarks_, places, accounts, contexts.make(options.hart),
             std::move(options.transcript)),
      thread_(view_, landmarks_, stack_, accounts, contexts, options.hart),
      before_switch_(std::move(options.before_switch)) {
  if (shares_.makes_slices()) accounts.keep_moved();
}

TrackerCounts StackTracker::counts() const {
  const CallStack::Counts& stack = stack_.counts();
  return {.instructions = instructions_,
          .calls = stack.calls,
          .traps = stack.traps,
          .switches = thread_.switches(),
          .last_cycle = last_cycle_,
          .weight = shares_.given(),
          .resynchronised = stack.resynchronised,
          .unwound = stack.unwound,
          .time_disorder = shares_.time_disorder()};
}

void StackTracker::begin(const TraceBlock& block,
                         std::span<const SpaceChange> spaces) {
  shares_.begin_block(block);
  block_ = &block;
  spaces_ = spaces;
  at_ = context_at_ = trap_at_ = space_at_ = fact_at_ = 0;
  gap_ = block.after_gap && started_;
  if (gap_) {
    page_pc_ = kNoPage;
    shares_.end_slice();
  }
  if (view_.refresh()) page_pc_ = kNoPage;
}

bool StackTracker::advance(std::uint64_t cycle) {
  const std::size_t size = block_->instructions.size();
  for (const std::size_t end = first_after(cycle); at_ < end;) {
    apply_events(at_);
    const std::size_t until = std::min(next_event(at_), end);
    run(at_, until);
    at_ = until;
  }
  if (at_ < size) return false;
  apply_events(size);
  instructions_ += size;
  last_cycle_ = block_->instructions.back().cycle;
  if (!block_->bits.empty()) last_bits_ = block_->bits.back();
  return true;
}

// The first instruction of the block from `at_` on that retired after `cycle`.
std::size_t StackTracker::first_after(std::uint64_t cycle) const {
  const std::vector<Retired>& all = block_->instructions;
  if (cycle == UINT64_MAX) return all.size();
  const auto from = all.begin() + static_cast<std::ptrdiff_t>(at_);
  const auto is_after = [&](const Retired& one) { return one.cycle > cycle; };
  // Cycles may go back.
  return static_cast<std::size_t>(
      std::ranges::find_if(from, all.end(), is_after) - all.begin());
}

void StackTracker::finish() {
  shares_.end_slice();
  thread_.finish();
}

std::size_t StackTracker::next_event(std::size_t at) const {
  std::size_t next = SIZE_MAX;
  const auto consider = [&](std::size_t from) { next = std::min(next, from); };
  if (context_at_ < block_->contexts.size())
    consider(block_->contexts[context_at_].from);
  if (trap_at_ < block_->traps.size())
    consider(block_->traps[trap_at_].handled_from());
  if (space_at_ < spaces_.size()) consider(spaces_[space_at_].from);
  if (fact_at_ < block_->facts.size()) consider(block_->facts[fact_at_].from);
  return std::max(next, at + 1);
}

void StackTracker::apply_events(std::size_t at) {
  while (context_at_ < block_->contexts.size() &&
         block_->contexts[context_at_].from <= at)
    apply(block_->contexts[context_at_++]);
  while (trap_at_ < block_->traps.size() &&
         block_->traps[trap_at_].handled_from() <= at) {
    ++trap_at_;
    trap_marked_ = true;
    page_pc_ = kNoPage;  // the next one is not sequential, wherever it is
  }
  while (space_at_ < spaces_.size() && spaces_[space_at_].from <= at)
    apply(spaces_[space_at_++]);
  while (fact_at_ < block_->facts.size() && block_->facts[fact_at_].from <= at)
    apply(block_->facts[fact_at_++]);
}

void StackTracker::apply(const ContextChange& change) {
  privilege_ = change.privilege;
  thread_.tell_context(change);
}

void StackTracker::apply(const SpaceChange& change) {
  if (change.space == view_.space()) return;
  // Only a kernel switches processes; without it, the trace has a gap here.
  process_changed_ =
      stack_.from().layer == Layer::kUser && view_.space() != SpaceId::kNone;
  thread_.change_space(change.space, instructions_ + change.from);
  page_pc_ = kNoPage;
}

void StackTracker::apply(const SideBandFact& fact) {
  if (fact.kind == SideBandFact::Kind::kThread) {
    thread_.tell_thread({.pid = fact.pid, .tid = fact.tid, .name = fact.name});
    page_pc_ = kNoPage;  // for land(), after a switch that happens now
  } else if (fact.kind == SideBandFact::Kind::kUnmapAll) {
    stack_.context().is_other_program = true;
  }
}

// The inner loop. Nothing is counted per instruction: while they belong to the
// same counter, it is one difference in the end. What the loop reads of a page
// is one byte for each instruction, and the number of its spot where control
// does not simply go on.
void StackTracker::run(std::size_t from, std::size_t to) {
  const Retired* const all = block_->instructions.data();
  Accounts::Counter nothing;
  Accounts::Counter* counter = started_ ? counter_ : &nothing;
  std::size_t counted = from;
  std::uint64_t given = shares_.given();
  const auto settle = [&](std::size_t until, std::uint64_t sum) {
    counter->weight += sum - given;
    counter->instructions += until - counted;
    counted = until;
    given = sum;
  };

  // Where it is, and what the function on top is counted by.
  CodePage* page = stack_.from().page;
  std::uint64_t page_pc = page_pc_;
  FunctionId function = stack_.from().function;
  std::uint64_t first_slot = 0, slots = 0;  // of the function
  std::size_t spot = 0;
  Accounts::Counter* row = nullptr;
  std::uint32_t places = 0;
  const auto enter_spot = [&](std::size_t slot) {
    spot = page->spot[slot];
    const CodePage::Spot& here = page->spots[spot];
    first_slot = here.first;
    slots = std::uint64_t{here.end} - here.first;
    return here.place;
  };
  const auto enter_function = [&](std::size_t slot) {
    page = stack_.from().page;
    page_pc = page_pc_;
    function = stack_.from().function;
    row = accounts_.row(stack_.top().node);
    places = accounts_[stack_.top().node].places;
    return enter_spot(slot);
  };
  const auto counter_at = [&](std::uint16_t place) {
    return row + (place < places ? place : 0);  // as Accounts::place_in()
  };
  const auto begin_slice = [&](std::size_t at) {
    if (!shares_.makes_slices()) return;
    shares_.set_given(given);
    shares_.begin_slice(at, stack_.top().node,
                        static_cast<std::uint16_t>(counter - row));
  };

  const bool infers = block_->bits.empty();
  std::uint64_t pc = stack_.from().pc;
  Flow flow = stack_.from().flow;
  std::uint64_t expected = pc + static_cast<std::uint64_t>(flow.length());
  bool enters = page_pc == kNoPage;
  if (!enters) enter_function(CodePage::slot(pc));
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
    const auto is_in_function = [&] {
      if (slot - first_slot < slots) return true;
      if (slot >= CodePage::kSlots || page->function(slot) != function)
        return false;
      enter_spot(slot);  // another part of it
      return true;
    };
    const auto stays = [&] {
      if (is_local(flow.kind())) return true;
      if (page->flow[slot].is_entry()) return false;
      if (next == expected) return true;
      // In unknown text: a jump, unless it may be something else.
      return infers && flow.kind() == FlowKind::kUnknown && next - pc > 4 &&
             !stack_.top().returns_to(next);
    };
    if (enters || !is_in_function() || !stays()) {
      settle(i, shares_.up_to(i, flow, next != expected));
      stack_.from().pc = pc;
      stack_.from().flow = flow;
      shares_.set_given(given);
      enter(i, next);
      enters = false;
      slot = CodePage::slot(next);
      counter = counter_at(enter_function(slot));
      begin_slice(i);
    } else if (places > 1 && page->spot[slot] != spot) {
      const auto here = counter_at(enter_spot(slot));
      if (here != counter) {
        settle(i, shares_.up_to(i, flow, next != expected));
        counter = here;
        begin_slice(i);
      }
    }
    pc = next;
    flow = page->flow[slot];
    expected = pc + static_cast<std::uint64_t>(flow.length());
  }
  settle(to, shares_.before(to));
  shares_.set_given(given);
  counter_ = counter;
  stack_.from().pc = pc;
  stack_.from().flow = flow;
}

Flow StackTracker::flow_before(std::size_t at) const {
  if (block_->bits.empty()) return stack_.from().flow;
  return decode_riscv(at > 0 ? block_->bits[at - 1] : last_bits_, map_.xlen());
}

// A transfer, or something that looks like one.
void StackTracker::enter(std::size_t at, std::uint64_t pc) {
  CodePoint& to = stack_.to();
  to.pc = pc;
  to.page = &view_.page_at(pc);
  if (to.page->layer == Layer::kUnknown && privilege_ != Privilege::kUnknown)
    CodeMap::set_layer(*to.page, layer_reached());
  to.function = to.page->function(to.slot());
  if (!started_) {
    to.layer = layer_reached();
    trap_marked_ = false;
  } else if (std::exchange(gap_, false)) {
    to.layer = layer_reached();
    trap_marked_ = false;
    thread_.cross_gap();
  } else {
    leave_for_next(at);
    to.layer = layer_reached();
    follow(at);
  }
  started_ = true;
  land();
}

// How control leaves the last instruction is known better now.
void StackTracker::leave_for_next(std::size_t at) {
  CodePoint& from = stack_.from();
  const std::uint64_t pc = stack_.to().pc;
  from.flow = flow_before(at);
  Flow& stored = from.page->flow[from.slot()];
  if (!block_->bits.empty()) {
    // Text that was unknown or patched.
    stored = from.flow.in_place_of(stored);
  } else if (from.flow.length() == 0 &&
             (pc == from.pc + 2 || pc == from.pc + 4)) {
    from.flow = Flow(from.flow.kind(), static_cast<int>(pc - from.pc))
                    .in_place_of(stored);
    stored = from.flow;
  }
}

void StackTracker::follow(std::size_t at) {
  const bool has_space_changed = std::exchange(process_changed_, false);
  if (stack_.to().layer == Layer::kUser &&
      stack_.from().layer == Layer::kUser &&
      (has_space_changed || thread_.is_other_process()) &&
      !thread_.change_process())
    return;
  const FunctionId from = stack_.from().function;
  CallStack::Transfer how{.is_marked_trap = std::exchange(trap_marked_, false),
                          .has_words = !block_->bits.empty(),
                          .word = block_->bits.empty() ? 0 : block_->bits[at]};
  // Again, if that showed which thread it is.
  for (bool again = true; std::exchange(again, false);) {
    switch (stack_.transfer(how)) {
      case CallStack::Then::kNothing:
        break;
      case CallStack::Then::kSwitch:
        if (before_switch_) before_switch_(block_->instructions[at].cycle);
        return thread_.switch_thread(instructions_ + at);
      case CallStack::Then::kTrapIsOver:
        again = thread_.return_from_trap();
        break;
      case CallStack::Then::kPastBottom:
        again = thread_.return_past_bottom();
        break;
      case CallStack::Then::kProgram:
        return thread_.begin_program();
      case CallStack::Then::kEntry:
        return thread_.enter_program();
    }
  }
  if (landmarks_.is_wake_new(stack_.to().function) &&
      stack_.to().function != from && stack_.to().is_entry())
    thread_.note_birth();
}

// The layer of a file's code is known; else the trace may tell; else it is the
// layer that ran before, or the one that a trap interrupted.
Layer StackTracker::layer_reached() const {
  const CodePage& page = *stack_.to().page;
  if (page.image != CodeImageId::kNone) return page.layer;
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
  if (page.layer != Layer::kUnknown) return page.layer;
  const CodePoint& from = stack_.from();
  if (!started_ || from.layer == Layer::kUnknown) return Layer::kUser;
  const bool leaves = from.flow.kind() == FlowKind::kXret ||
                      (from.flow.kind() == FlowKind::kUnknown &&
                       landmarks_.is_trap_exit(from.function));
  if (!leaves) return from.layer;
  const std::size_t segment = stack_.segment_start();
  return segment >= 2 ? stack_.frames()[segment - 2].layer : Layer::kUser;
}

void StackTracker::land() {
  stack_.arrive();
  page_pc_ = stack_.to().pc & ~(CodePage::kBytes - 1);
  if (thread_.is_told() && (!landmarks_.is_switch(stack_.from().function) ||
                            stack_.frames().empty()))
    thread_.apply_told();
  stack_.correct_top();
  if (stack_.from().layer == Layer::kUser && view_.space() != SpaceId::kNone) {
    Context& context = stack_.context();
    context.space = view_.space();
    context.memory.be(view_.space());
    contexts_.threads()[context.thread].space = view_.space();
  }
}

std::string StackTracker::describe() const {
  std::string out;
  for (const StackFrame& frame : stack_.frames()) {
    if (!out.empty()) out += ';';
    const std::string_view name = map_.function(frame.function).name;
    out += name.empty() ? "?" : demangle(name, Demangle::kShort);
  }
  return out;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/thread_guesses.h"

#include <algorithm>
#include <utility>

namespace wick {
namespace {

// Returns that confirm a thread; all threads are left through the same two
// functions. Returning to where user code was interrupted confirms as much.
constexpr int kProofs = 4;
// The most frames that may be left without a return.
constexpr std::size_t kMostSkipped = 64;

}  // namespace

// The frames of a guess, from the top: those of the thread that it became are
// on those of the thread, whose innermost ones were over.
class ThreadGuesses::Stack {
 public:
  Stack() = default;
  explicit Stack(const Context& thread) : lower_(&thread) {}
  Stack(const Context& upper, const Context& lower, std::size_t lower_gone)
      : upper_(&upper), lower_(&lower), lower_gone_(lower_gone) {}

  bool exists() const { return lower_ != nullptr; }
  std::size_t size() const {
    const std::size_t below =
        lower_->frames.size() - std::min(lower_gone_, lower_->frames.size());
    return upper_ == nullptr
               ? below
               : upper_->frames.size() - 1 + std::max<std::size_t>(below, 1);
  }
  const StackFrame& operator[](std::size_t i) const {
    if (upper_ != nullptr) {
      const std::size_t on_top = upper_->frames.size() - 1;
      if (i < on_top) return upper_->frames[on_top - i];
      i -= on_top;
      // All frames below were over: the bottom has no known caller.
      if (lower_gone_ >= lower_->frames.size()) return upper_->frames.front();
    }
    return lower_->frames[lower_->frames.size() - 1 - lower_gone_ - i];
  }
  const Context& thread() const { return *lower_; }

 private:
  const Context* upper_ = nullptr;
  const Context* lower_ = nullptr;
  std::size_t lower_gone_ = 0;
};

ThreadGuesses::Stack ThreadGuesses::stack_of(const ThreadGuess& guess) const {
  const Context* const thread = contexts_.find(guess.thread);
  if (thread == nullptr) return Stack();
  if (guess.via == ThreadGuess::kNone) return Stack(*thread);
  const Context* const upper = contexts_.find(guess.via);
  if (upper == nullptr) return Stack();
  const auto at =
      std::ranges::find(upper->guesses, guess.thread, &ThreadGuess::thread);
  if (at == upper->guesses.end()) return Stack();
  return Stack(*upper, *thread, at->gone[upper->levels.size() - 1]);
}

void ThreadGuesses::add_guesses(const Context& parked, const Switch& how,
                                std::vector<ThreadGuess>& out) const {
  const auto add = [&](const Context& thread, ThreadGuess guess) {
    guess.gone = {1};
    guess.is_on_other_hart = parked.parked_hart != how.hart;
    if (how.has_satp) {
      Memory memory = thread.memory;
      if (&thread != &parked) memory.add(parked.memory);
      guess.doubt = memory.doubt(view_.space(), how.has_changed);
    }
    out.push_back(std::move(guess));
  };
  if (!parked.is_guessed()) return add(parked, {.thread = parked.thread});
  for (const ThreadGuess& guess : parked.guesses)
    if (const Context* const thread = contexts_.find(guess.thread))
      add(*thread, {.thread = guess.thread, .via = parked.thread});
}

std::vector<ThreadGuess> ThreadGuesses::resumed_at(std::uint64_t pc,
                                                   const Switch& how) const {
  std::vector<ThreadGuess> urgent, waiting, just_left;
  std::uint64_t last_left = 0;
  for (const Context& parked : contexts_.all())
    if (parked.parked_hart == how.hart)
      last_left = std::max(last_left, parked.parked_at);
  for (const Context& parked : contexts_.all()) {
    if (parked.frames.size() < 2 || !parked.frames.back().returns_to(pc))
      continue;
    add_guesses(parked, how,
                !parked.is_guessed()            ? waiting
                : parked.parked_at == last_left ? just_left
                                                : urgent);
  }
  std::vector<ThreadGuess> all = std::move(urgent);
  all.insert(all.end(), waiting.begin(), waiting.end());
  all.insert(all.end(), just_left.begin(), just_left.end());
  std::ranges::stable_sort(all, {}, [](const ThreadGuess& guess) {
    // A thread moves more rarely than satp misleads about one that is ending.
    return std::pair(guess.is_on_other_hart, guess.doubt);
  });
  return all;
}

namespace {

// Each guess as tier(guess) leaves it, if that is the best tier that occurs.
template <class Tier, class Find>
bool keep_best(std::vector<ThreadGuess>& guesses, Tier worst, Find find) {
  std::vector<ThreadGuess> kept;
  Tier best = worst;
  for (const ThreadGuess& guess : guesses) {
    std::uint32_t gone = 0;
    const Tier tier = find(guess, gone);
    if (tier == worst || tier > best) continue;
    if (tier < best) kept.clear();
    best = tier;
    kept.push_back(guess);
    kept.back().gone.push_back(gone);
  }
  if (kept.empty()) return false;
  guesses = std::move(kept);
  return true;
}

}  // namespace

// Whether the thread, interrupted by the frame `from`, can be in code of its
// own process at `to`. Nothing if no caller tells.
std::optional<bool> ThreadGuesses::is_its_code(const Stack& stack,
                                               std::size_t from,
                                               const CodePoint& to) const {
  std::optional<bool> is_its;
  for (std::size_t i = from; i + 1 < stack.size() && i < from + kMostSkipped;
       ++i) {
    const auto tells =
        view_.is_one_process(stack[i].site, stack[i + 1].function, to);
    if (tells == false) return false;
    if (tells) is_its = true;
  }
  return is_its;
}

bool ThreadGuesses::explain_return(Context& context, std::uint64_t pc) {
  const bool any = keep_best(
      context.guesses, Tier::kImpossible,
      [&](const ThreadGuess& guess, std::uint32_t& gone) {
        const Stack stack = stack_of(guess);
        if (!stack.exists()) return Tier::kImpossible;
        const std::size_t first = guess.gone.back(), size = stack.size();
        gone = static_cast<std::uint32_t>(size);
        for (std::size_t i = first; i < size && i < first + kMostSkipped; ++i) {
          const StackFrame& frame = stack[i];
          if (frame.returns_to(pc)) {
            gone = static_cast<std::uint32_t>(i + 1);
            return i == first || stack[i - 1].kind == StackFrame::Kind::kPart
                       ? Tier::kExact
                       : Tier::kSkipped;
          }
          if (frame.kind == StackFrame::Kind::kTrap) return Tier::kImpossible;
          if (frame.kind == StackFrame::Kind::kBottom)
            return i == first ? Tier::kUnknownCaller : Tier::kImpossible;
        }
        return first >= size ? Tier::kUnknownCaller : Tier::kImpossible;
      });
  if (any) ++context.proofs;
  return any;
}

bool ThreadGuesses::explain_trap_return(Context& context, const CodePoint& to,
                                        bool has_satp, bool& continues) {
  // Without satp, processes share spaces as long as they do not conflict.
  if (to.layer == Layer::kUser && has_satp && !context.is_other_program)
    std::erase_if(context.guesses, [&](const ThreadGuess& guess) {
      return !may_be_here(guess);
    });
  // Without satp, which program's code it is may be a mistake. If all returns
  // so far fit one thread only, and this one does, it is that one.
  const bool is_last = !has_satp && context.guesses.size() == 1;
  const auto is_only_one = [&](const StackFrame& trap) {
    return is_last && trap.resumes_at(to.pc);
  };
  continues = false;
  const bool any = keep_best(
      context.guesses, Tier::kImpossible,
      [&](const ThreadGuess& guess, std::uint32_t& gone) {
        const Stack stack = stack_of(guess);
        if (!stack.exists()) return Tier::kImpossible;
        const std::size_t first = guess.gone.back(), size = stack.size();
        for (std::size_t i = first; i + 1 < size && i < first + kMostSkipped;
             ++i) {
          const StackFrame& frame = stack[i];
          if (frame.kind != StackFrame::Kind::kTrap) continue;
          gone = static_cast<std::uint32_t>(i + 1);
          if (stack[i + 1].layer != to.layer) return Tier::kImpossible;
          if (to.layer != Layer::kUser)
            return explain_resumption(frame, stack[i + 1], stack.thread(), to,
                                      continues);
          if (context.is_other_program || is_other_program(guess))
            return explain_program(to);
          const auto is_its = is_its_code(stack, i, to);
          if (is_its == false && !is_only_one(frame)) return Tier::kImpossible;
          const Tier tier = explain_resumption(frame, stack[i + 1],
                                               stack.thread(), to, continues);
          return tier != Tier::kImpossible && is_its
                     ? std::min(tier, Tier::kNear)
                     : tier;
        }
        gone = static_cast<std::uint32_t>(size);
        return stack.thread().is_new && to.layer == Layer::kUser
                   ? Tier::kUnknownCaller
                   : Tier::kImpossible;
      });
  if (any && continues) context.proofs += kProofs;
  return any;
}

ThreadGuesses::Tier ThreadGuesses::explain_resumption(
    const StackFrame& trap, const StackFrame& interrupted,
    const Context& thread, const CodePoint& to, bool& continues) const {
  if (!trap.resumes_at(to.pc))
    return explain_elsewhere(trap, interrupted, thread, to);
  continues = true;
  return Tier::kExact;
}

// A program that was just loaded begins at its entry or its loader's.
ThreadGuesses::Tier ThreadGuesses::explain_program(const CodePoint& to) const {
  return view_.is_program_entry(to) ? Tier::kTarget : Tier::kUnknownCaller;
}

// What the trap interrupted continues at `to` instead of where it was.
ThreadGuesses::Tier ThreadGuesses::explain_elsewhere(
    const StackFrame& trap, const StackFrame& interrupted,
    const Context& thread, const CodePoint& to) const {
  // A signal handler.
  const Tier otherwise = to.is_entry() || view_.is_program_entry(to) ||
                                 !view_.has_name(to.function) ||
                                 thread.leaves_signal
                             ? Tier::kUnknownCaller
                             : Tier::kImpossible;
  switch (trap.flow.kind()) {
    case FlowKind::kCall:
    case FlowKind::kJump:
    case FlowKind::kBranch: {
      const auto leads_there = view_.leads_to(
          {.pc = trap.site, .page = &view_.page_at(trap.site)}, to.pc);
      if (!leads_there) return Tier::kSkipped;
      return *leads_there ? Tier::kTarget : otherwise;
    }
    case FlowKind::kReturn:
      return interrupted.returns_to(to.pc) ? Tier::kTarget : otherwise;
    case FlowKind::kIndirectCall:
    case FlowKind::kIndirectJump:
    case FlowKind::kSwapLink:
    case FlowKind::kUnknown:
      return Tier::kSkipped;
    default:
      return otherwise;
  }
}

bool ThreadGuesses::is_other_program(const ThreadGuess& guess) const {
  const auto is = [&](std::uint32_t thread) {
    const Context* const context = contexts_.find(thread);
    return context != nullptr && context->is_other_program;
  };
  return is(guess.thread) || (guess.via != ThreadGuess::kNone && is(guess.via));
}

bool ThreadGuesses::may_be_here(const ThreadGuess& guess) const {
  const Context* const thread = contexts_.find(guess.thread);
  const SpaceId here = view_.space();
  return thread != nullptr &&
         (is_other_program(guess) || thread->space == SpaceId::kNone ||
          here == SpaceId::kNone || thread->space == here ||
          thread->memory.is(here));
}

bool ThreadGuesses::is_certain(const Context& context) const {
  if (context.guesses.empty() || context.proofs < kProofs) return false;
  if (returns_to_user_code(context.guesses.front())) return false;
  const auto is_doubtful = [](const ThreadGuess& guess) {
    return guess.doubt == Memory::Doubt::kOther;
  };
  const bool is_only_one = !is_doubtful(context.guesses.front()) &&
                           std::all_of(context.guesses.begin() + 1,
                                       context.guesses.end(), is_doubtful);
  return context.guesses.size() == 1 || is_only_one || have_same_rest(context);
}

// User code shows best who runs.
bool ThreadGuesses::returns_to_user_code(const ThreadGuess& guess) const {
  const Stack stack = stack_of(guess);
  if (!stack.exists()) return false;
  for (std::size_t i = guess.gone.back(); i < stack.size(); ++i)
    if (stack[i].kind == StackFrame::Kind::kTrap) return true;
  return false;
}

// Whether all guesses have the same callers left.
bool ThreadGuesses::have_same_rest(const Context& context) const {
  const ThreadGuess& first = context.guesses.front();
  const Stack one = stack_of(first);
  if (!one.exists()) return false;
  const std::size_t from = first.gone.back();
  const std::size_t rest = one.size() - std::min(one.size(), from);
  return std::ranges::all_of(context.guesses, [&](const ThreadGuess& guess) {
    const Stack other = stack_of(guess);
    const std::size_t other_from = guess.gone.back();
    if (!other.exists() ||
        other.size() - std::min(other.size(), other_from) != rest)
      return false;
    for (std::size_t i = 0; i < rest; ++i) {
      const StackFrame& a = one[from + i];
      const StackFrame& b = other[other_from + i];
      if (a.function != b.function || a.site != b.site || a.kind != b.kind)
        return false;
    }
    return true;
  });
}

Context ThreadGuesses::take(const ThreadGuess& guess) {
  Context thread = contexts_.take(guess.thread);
  if (guess.via == ThreadGuess::kNone) return thread;
  Context upper = contexts_.take(guess.via);
  const ThreadGuess how =
      *std::ranges::find(upper.guesses, guess.thread, &ThreadGuess::thread);
  join(upper, how, std::move(thread));
  return upper;
}

void ThreadGuesses::become_first(Context& context) {
  const ThreadGuess guess = context.guesses.front();
  join(context, guess, take(guess));
}

// Puts the frames of `context` on those of `thread`, which it is.
void ThreadGuesses::join(Context& context, const ThreadGuess& guess,
                         Context thread) {
  settle_levels(context, guess, thread);
  Context& out = thread;
  const std::size_t gone = guess.gone[context.levels.size() - 1];
  std::size_t kept = 0;  // the frame that continues as the bottom one
  if (gone >= out.frames.size()) {
    out.frames = std::move(context.frames);
  } else {
    kept = out.frames.size() - 1 - gone;
    for (; out.frames.size() > kept + 1; out.frames.pop_back())
      if (out.frames.back().pending != CallNodeId::kRoot)
        accounts_.settle(out.frames.back().pending);
    StackFrame& bottom = out.frames.back();
    bottom.function = context.frames.front().function;
    bottom.layer = context.frames.front().layer;
    bottom.node = context.frames.front().node;
    out.frames.insert(out.frames.end(), context.frames.begin() + 1,
                      context.frames.end());
  }
  out.traps.clear();
  for (std::uint32_t i = 0; i < out.frames.size(); ++i)
    if (out.frames[i].kind == StackFrame::Kind::kTrap)
      out.traps.push_back(i + 1);
  for (JumpPoint& point : context.jump_points) {
    point.depth += static_cast<std::uint32_t>(kept);
    out.jump_points.push_back(point);
  }
  if (context.space != SpaceId::kNone) {
    out.space = context.space;
    contexts_.threads()[out.thread].space = context.space;
  }
  out.memory.add(context.memory);
  out.parked_hart = context.parked_hart;
  out.parked_at = context.parked_at;
  out.leaves_signal |= context.leaves_signal;
  out.is_other_program |= context.is_other_program;
  contexts_.release(context.thread);
  context = std::move(out);
}

void ThreadGuesses::settle_levels(Context& context, const ThreadGuess& guess,
                                  const Context& thread) {
  std::vector<CallNodeId*> in_use;
  for (StackFrame& frame : context.frames) in_use.push_back(&frame.node);
  const std::size_t size = thread.frames.size();
  for (std::size_t level = 0; level < context.levels.size(); ++level) {
    CallNodeId caller = thread.pending != CallNodeId::kRoot
                            ? thread.pending
                            : accounts_.root(thread.thread);
    std::uint16_t place = 0;
    if (guess.gone[level] < size) {
      const std::size_t at = size - 1 - guess.gone[level];
      const StackFrame& frame = thread.frames[at];
      place = frame.place;
      if (frame.pending != CallNodeId::kRoot)
        caller = frame.pending;
      else if (at > 0)
        caller = thread.frames[at - 1].node;
    }
    const bool is_last = level + 1 == context.levels.size();
    accounts_.settle(context.levels[level], caller, place,
                     is_last ? std::span<CallNodeId* const>(in_use)
                             : std::span<CallNodeId* const>());
  }
}

void ThreadGuesses::become_new(Context& context) {
  const Context unknown{.thread = context.thread};
  ThreadGuess none;
  none.gone.assign(context.levels.size(), 0);
  settle_levels(context, none, unknown);
  context.levels.clear();
  context.guesses.clear();
}

void ThreadGuesses::decide(Context& context) {
  std::erase_if(context.guesses, [&](const ThreadGuess& guess) {
    return !stack_of(guess).exists();
  });
  if (context.guesses.empty())
    become_new(context);
  else
    become_first(context);
}

void ThreadGuesses::decide_all() {
  while (true) {
    const auto at = std::ranges::find_if(
        contexts_.all(), [](const Context& c) { return c.is_guessed(); });
    if (at == contexts_.all().end()) return;
    Context context = contexts_.take(at->thread);
    decide(context);
    contexts_.park(std::move(context));
  }
}

void ThreadGuesses::simplify(Context& context) {
  const bool is_empty = context.guesses.empty();
  if (is_empty || context.guesses.front().via != ThreadGuess::kNone ||
      (context.proofs >= kProofs &&
       !returns_to_user_code(context.guesses.front())))
    return decide(context);
  std::erase_if(context.guesses, [](const ThreadGuess& guess) {
    return guess.via != ThreadGuess::kNone;
  });
}

}  // namespace wick

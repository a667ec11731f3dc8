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
#include <span>
#include <utility>
#include <vector>

#include "itrace/stacks/stack_tracker.h"

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

// The kernel is about to wake a new thread: remembers the parent's stack.
void StackTracker::note_birth() {
  const std::vector<StackFrame>& frames = context_.frames;
  if (context_.traps.empty()) return;
  const std::size_t size = context_.traps.front();
  if (size < 2 || size > kMaxInherited ||
      frames[size - 2].layer != Layer::kUser)
    return;
  contexts_.note_birth(
      {.frames = {frames.begin(),
                  frames.begin() + static_cast<std::ptrdiff_t>(size)},
       .space = context_.space});
}

// The kernel returns to user code that it did not come from.
void StackTracker::begin_thread(std::uint64_t pc) {
  pop_to(0);
  if (next_layer_ != Layer::kUser || !std::exchange(context_.is_new, false)) {
    ++counts_.resynchronised;  // the trap was taken before the trace began
    return;
  }
  if (is_program_entry(pc)) return;  // a thread of the kernel became a program
  std::optional<Contexts::Birth> birth = contexts_.take_birth(pc);
  if (!birth) birth = parked_parent(pc);
  if (!birth) return;
  birth->frames.pop_back();  // the trap
  const bool shares_memory =
      has_satp_ && birth->space != SpaceId::kNone && birth->space == space_;
  const std::string_view name = map_.function(next_function_).name;
  if ((shares_memory && !lends_stack(name)) || makes_threads(name))
    context_.inherited = std::move(birth->frames);  // but see return_to_parent
  else
    adopt(birth->frames);
}

// If the kernel's functions are not known: a parked thread that waits for the
// same system call.
std::optional<Contexts::Birth> StackTracker::parked_parent(
    std::uint64_t pc) const {
  for (std::size_t i = 0; i < contexts_.parked(); ++i) {
    const Context& parent = contexts_[i];
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
        .space = parent.space};
  }
  return {};
}

// Makes the frames of another thread those of this one.
void StackTracker::adopt(std::span<const StackFrame> frames) {
  std::vector<StackFrame> adopted(frames.begin(), frames.end());
  CallNodeId node = accounts_.root(context_.thread);
  for (StackFrame& frame : adopted) {
    node = accounts_.child(node, accounts_[frame.node].place, frame.function,
                           places_.count(frame.function));
    frame.node = node;
  }
  context_.frames = std::move(adopted);
  context_.traps.clear();
}

bool StackTracker::is_program_entry(std::uint64_t pc) const {
  if (map_.function(next_function_).name == "_start") return is_entry(pc);
  if (next_page_->image == CodeImageId::kNone) return false;
  const CodeImage& image = map_.image(next_page_->image);
  return image.elf != nullptr && image.elf->entry() != 0 &&
         image.elf->entry() == next_page_->elf_addr + CodePage::slot(pc) * 2;
}

// A new program starts with an empty stack and a root of its own: the thread is
// the same, the program is not.
void StackTracker::begin_program() {
  pop_to(0);
  const std::uint32_t before = context_.thread;
  context_.thread = contexts_.make(options_.hart).thread;
  context_.space = SpaceId::kNone;
  context_.inherited.clear();
  exec_seen_ = false;
  ThreadFacts& facts = contexts_.threads()[context_.thread];
  facts.pid = contexts_.threads()[before].pid;
  facts.tid = contexts_.threads()[before].tid;
  facts.name = contexts_.threads()[before].name;
  if (options_.transcript)
    options_.transcript("thread " + std::to_string(context_.thread));
}

}  // namespace wick

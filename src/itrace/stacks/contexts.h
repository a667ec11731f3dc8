// SPDX-License-Identifier: Apache-2.0
// The threads of a traced machine: the stack of a thread that does not run is
// parked here until a hart resumes it.
//
// One stack holds all layers of a thread, outermost first:
//
//   main  read_all  read | handle_exception  do_trap_ecall_u  ksys_read | _trap
//   user calls             a trap, then kernel calls            the SBI
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "itrace/code/code_map.h"
#include "itrace/stacks/accounts.h"

namespace wick {

struct StackFrame {
  enum class Kind : std::uint8_t {
    kBottom,  // its caller is not known
    kCall,    // called by the instruction at `site`
    kTrap,    // entered when the hart trapped at `site`, which resumes later
    kSignal,  // a signal handler, on top of what was to continue
    kPart,    // a part of the function below, which branched to it
  };
  // pc of the call, or of the last instruction before the trap.
  std::uint64_t site = 0;
  Flow flow;  // of the instruction at `site`
  Kind kind = Kind::kBottom;
  // kSignal: the handler has returned to the code that ends a signal.
  bool returned = false;
  bool returns_twice = false;  // it began as setjmp
  Layer layer = Layer::kUnknown;
  FunctionId function = FunctionId::kNone;
  std::uint16_t place = 0;  // of the call, in the caller
  CallNodeId node = CallNodeId::kRoot;
  // kTrap: what it interrupted is not known yet; see Accounts.
  CallNodeId pending = CallNodeId::kRoot;

  // Whether `pc` is where a call from `site` returns to.
  bool returns_to(std::uint64_t pc) const {
    if (kind != Kind::kCall) return false;
    const auto length = static_cast<std::uint64_t>(flow.length());
    return length != 0 ? pc == site + length : pc == site + 2 || pc == site + 4;
  }
  // Whether a trap at `site` may resume at `pc`: at `site` again or after it.
  bool resumes_at(std::uint64_t pc) const {
    if (pc == site) return true;
    const auto length = static_cast<std::uint64_t>(flow.length());
    return length != 0 ? pc == site + length : pc == site + 2 || pc == site + 4;
  }
};

// Where setjmp returned to: longjmp returns there again.
struct JumpPoint {
  std::uint64_t pc = 0;
  std::uint32_t depth = 0;  // frames that were left
};

// The address space that a thread's memory is. The kernel changes to it before
// it resumes the thread; one that has no memory of its own, because it is the
// kernel's or its process is ending, runs in that of the thread before it.
class Memory {
 public:
  // It resumes in `space`, which the kernel has changed to for it, or not.
  void resume(SpaceId space, bool was_changed_for_it);
  // It is known to be `space`: that changed while the thread ran, or it runs
  // user code.
  void be(SpaceId space) { *this = {State::kOwn, space}; }
  // What was seen later of the same thread.
  void add(const Memory& later);

  // How unlikely the thread is to resume like that. 0: not at all.
  enum class Doubt : std::uint8_t { kNone, kUnknown, kOther };
  Doubt doubt(SpaceId space, bool was_changed) const;
  bool is(SpaceId space) const {
    return state_ == State::kOwn && space_ == space;
  }

  Memory() = default;

 private:
  enum class State : std::uint8_t {
    kUnknown,
    kAny,  // it ran in `space_`, its own or another one's
    kOwn,
    kNone  // it has none, or no longer
  };
  Memory(State state, SpaceId space) : state_(state), space_(space) {}

  State state_ = State::kUnknown;
  SpaceId space_ = SpaceId::kNone;
};

// A parked thread that may be the one that has resumed.
struct ThreadGuess {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t thread = kNone;  // Context::thread
  // If not kNone, `thread` may have become this one, which is itself not known
  // for certain: its frames are on top.
  std::uint32_t via = kNone;
  // Of its memory, at the switch.
  Memory::Doubt doubt = Memory::Doubt::kNone;
  // It last ran on another hart. The kernel moves threads rarely.
  bool is_on_other_hart = false;
  // Frames of it that are over, at each of Context::levels.
  std::vector<std::uint32_t> gone;
};

struct Context {
  std::uint32_t thread = 0;  // for Accounts::root()
  std::vector<StackFrame> frames;
  // For each kTrap, the number of frames up to and including it.
  std::vector<std::uint32_t> traps;
  SpaceId space = SpaceId::kNone;    // of its user code, once it ran some
  Memory memory;                     // if the trace has satp
  std::uint64_t thread_pointer = 0;  // the kernel's; 0: not known
  std::uint64_t parked_at = 0;       // number of the switch
  std::uint32_t parked_hart = 0;
  bool is_new = false;  // created while traced; no user code ran yet
  // Where it begins is not known yet; see Accounts.
  CallNodeId pending = CallNodeId::kRoot;
  bool leaves_signal = false;  // it called sigreturn
  bool is_other_program =
      false;  // exec was seen, but not its first instruction
  std::vector<JumpPoint> jump_points;  // the last one is the innermost
  // The stack of the parent when it created this thread, callers first: after
  // fork, the child returns to the parent's callers.
  std::vector<StackFrame> inherited;
  // It may be a thread of its creator's process or a process of its own: the
  // latter returns from the function in which it began. 0: that is known.
  std::uint32_t birth_depth = 0;  // frames up to and including that function
  std::uint64_t birth_site = 0;   // StackFrame::site of it

  // --- A thread that resumed, and which one it is is not known yet

  // Each time it returns past the bottom of `frames`, that begins anew, with a
  // pending node (see Accounts) for what is counted from then on.
  std::vector<CallNodeId> levels;
  std::vector<ThreadGuess> guesses;  // the likeliest first
  int proofs = 0;                    // returns that a guess explained
  bool is_guessed() const { return !levels.empty(); }
};

// What is known about a thread; rows by Context::thread.
struct ThreadFacts {
  std::int32_t pid = -1, tid = -1;
  std::string name;
  std::uint32_t hart = 0;
  // Rises in the order in which threads appeared; 0: the row is not used.
  std::uint64_t number = 0;
  SpaceId space = SpaceId::kNone;
  // A process began with it: by fork, or as another program.
  bool begins_process = false;
  // The thread of its process that created it.
  std::optional<std::uint32_t> creator;
  // Once it has ended: its process (see process_names.h).
  struct Process {
    std::string name;
    CodeImageId program = CodeImageId::kNone;
    std::uint32_t number = 0;  // of its program's processes
  };
  std::optional<Process> process;
};

class Contexts {
 public:
  // A thread that nothing is known about.
  Context make(std::uint32_t hart);
  // It turned out to be another one.
  void release(std::uint32_t thread);

  // Keeps a thread that does not run. Beyond kMaxParked, the one that was
  // parked first is forgotten.
  void park(Context context);
  std::size_t parked() const { return parked_.size(); }
  // The parked threads, the one parked first at first.
  std::list<Context>& all() { return parked_; }
  const std::list<Context>& all() const { return parked_; }
  // Null if it is not parked.
  Context* find(std::uint32_t thread);
  Context take(std::uint32_t thread);
  // The number of threads that were left so far.
  std::uint64_t switches() const { return switches_; }

  // The stack of a thread when it created another one: its user code, with the
  // trap into the kernel as the last frame.
  struct Birth {
    std::vector<StackFrame> frames;
    std::uint32_t thread = 0;  // that created it
    SpaceId space = SpaceId::kNone;
    std::vector<JumpPoint> jump_points;
    std::uint64_t number = 0;
  };
  // A thread is created, by one of those that are noted until the next one is.
  void begin_birth() { ++birth_; }
  // Beyond kMaxBirths, the oldest one is forgotten.
  void note_birth(Birth birth);
  // The oldest one that returns from the kernel to `pc`.
  std::optional<Birth> take_birth(std::uint64_t pc);

  // A thread that no context is of any more.
  void note_end(std::uint32_t thread) { ended_.push_back(thread); }
  // Those noted since the last call.
  std::vector<std::uint32_t> take_ended() { return std::exchange(ended_, {}); }

  std::size_t thread_count() const { return threads_.size() - unused_.size(); }
  std::vector<ThreadFacts>& threads() { return threads_; }
  const std::vector<ThreadFacts>& threads() const { return threads_; }

  static constexpr std::size_t kMaxParked = 4096, kMaxBirths = 256;

 private:
  std::list<Context> parked_;
  absl::flat_hash_map<std::uint32_t, std::list<Context>::iterator> by_thread_;
  std::uint64_t switches_ = 0;
  std::deque<Birth> births_;
  std::uint64_t birth_ = 0;
  std::vector<ThreadFacts> threads_;
  std::uint64_t last_number_ = 0;  // ThreadFacts::number
  std::vector<std::uint32_t> ended_;
  std::vector<std::uint32_t> unused_;  // rows of threads_
};

}  // namespace wick

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
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

struct Context {
  std::uint32_t thread = 0;  // for Accounts::root()
  std::vector<StackFrame> frames;
  // For each kTrap, the number of frames up to and including it.
  std::vector<std::uint32_t> traps;
  SpaceId space = SpaceId::kNone;    // of its user code, once it ran some
  std::uint64_t thread_pointer = 0;  // the kernel's; 0: not known
  bool is_new = false;  // created while traced; no user code ran yet
  // Where it begins is not known yet; see Accounts.
  CallNodeId pending = CallNodeId::kRoot;
  bool is_urgent = false;      // was switched away from before it did much
  bool leaves_signal = false;  // it called sigreturn
  bool is_other_program =
      false;  // exec was seen, but not its first instruction
  std::vector<JumpPoint> jump_points;  // the last one is the innermost
  // The stack of the parent when it created this thread, callers first: after
  // fork, the child returns to the parent's callers.
  std::vector<StackFrame> inherited;
};

// What is known about a thread; rows by Context::thread.
struct ThreadFacts {
  std::int32_t pid = -1, tid = -1;
  std::string name;
  std::uint32_t hart = 0;
  SpaceId space = SpaceId::kNone;
};

class Contexts {
 public:
  // A thread that nothing is known about.
  Context make(std::uint32_t hart);

  // Keeps a thread that does not run as the last one, or as the first one if it
  // is urgent. Beyond kMaxParked, the first one is forgotten.
  void park(Context context);
  std::size_t parked() const { return parked_.size(); }
  // The parked threads, the last one parked first.
  const Context& operator[](std::size_t i) const {
    return parked_[parked_.size() - 1 - i];
  }
  Context take(std::size_t i);

  // The stack of a thread when it created another one: its user code, with the
  // trap into the kernel as the last frame.
  struct Birth {
    std::vector<StackFrame> frames;
    SpaceId space = SpaceId::kNone;
    std::vector<JumpPoint> jump_points;
  };
  // Beyond kMaxBirths, the oldest one is forgotten.
  void note_birth(Birth birth);
  // The oldest one that returns from the kernel to `pc`.
  std::optional<Birth> take_birth(std::uint64_t pc);

  // A thread that no context is of any more.
  void note_end(std::uint32_t thread) { ended_.push_back(thread); }
  // Those noted since the last call.
  std::vector<std::uint32_t> take_ended() { return std::exchange(ended_, {}); }

  std::vector<ThreadFacts>& threads() { return threads_; }
  const std::vector<ThreadFacts>& threads() const { return threads_; }

  static constexpr std::size_t kMaxParked = 4096, kMaxBirths = 256;

 private:
  std::deque<Context> parked_;
  std::deque<Birth> births_;
  std::vector<ThreadFacts> threads_;
  std::vector<std::uint32_t> ended_;
};

}  // namespace wick

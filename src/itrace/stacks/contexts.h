// SPDX-License-Identifier: Apache-2.0
// The threads of a traced machine: the stack of each that does not run is
// parked here until a hart goes on with it.
//
// One stack holds all layers of a thread, outermost first:
//
//   main  read_all  read | handle_exception  do_trap_ecall_u  ksys_read | _trap
//   user calls             a trap, then calls of the kernel     and the SBI's
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "itrace/code/code_map.h"
#include "itrace/stacks/accounts.h"

namespace wick {

struct StackFrame {
  enum class Kind : std::uint8_t {
    kBottom,  // whoever called it did so before anything was known
    kCall,    // entered by the instruction at `site`
    kTrap,    // entered when the hart trapped at `site`, which goes on later
    kSignal,  // a handler of a signal, put on top of what was to go on
    kPart,    // of the function below, which branched to it
  };
  // pc of the call, or of the last instruction before the trap.
  std::uint64_t site = 0;
  Flow flow;  // of the instruction at `site`
  Kind kind = Kind::kBottom;
  // Of a kSignal: its handler has returned, to the code that ends a signal.
  bool returned = false;
  Layer layer = Layer::kUnknown;
  FunctionId function = FunctionId::kNone;
  CallNodeId node = CallNodeId::kRoot;

  // Whether `pc` is where a call from `site` returns to.
  bool returns_to(std::uint64_t pc) const {
    if (kind != Kind::kCall) return false;
    const auto length = static_cast<std::uint64_t>(flow.length());
    return length != 0 ? pc == site + length : pc == site + 2 || pc == site + 4;
  }
  // Whether a trap at `site` may go on at `pc`: there again, or behind it.
  bool resumes_at(std::uint64_t pc) const {
    if (pc == site) return true;
    const auto length = static_cast<std::uint64_t>(flow.length());
    return length != 0 ? pc == site + length : pc == site + 2 || pc == site + 4;
  }
};

struct Context {
  std::uint32_t thread = 0;  // the bottom of its stacks in Accounts
  std::vector<StackFrame> frames;
  // How many frames there are up to each kTrap, that one included.
  std::vector<std::uint32_t> traps;
  SpaceId space = SpaceId::kNone;    // of its user code, once it ran some
  std::uint64_t thread_pointer = 0;  // the kernel's; 0: not known
  bool is_new = false;         // was made while traced and ran no user code yet
  bool is_urgent = false;      // went on and was left again before it did much
  bool leaves_signal = false;  // the kernel was asked to (sigreturn)
  // Where the parent of a new thread was when it made it, callers first: who
  // returns from there returns to the parent's callers (fork).
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
  // A thread that nothing is known of.
  Context make(std::uint32_t hart);

  // Keeps a thread that does not run, as the one that was left last; or first,
  // if it is urgent. The first is forgotten beyond kMaxParked.
  void park(Context context);
  std::size_t parked() const { return parked_.size(); }
  // The parked ones, the one that was parked last first.
  const Context& operator[](std::size_t i) const {
    return parked_[parked_.size() - 1 - i];
  }
  Context take(std::size_t i);

  // What a thread did when it made another one: its user code, and the trap
  // into the kernel as the last frame.
  struct Birth {
    std::vector<StackFrame> frames;
    SpaceId space = SpaceId::kNone;
  };
  // The oldest is forgotten beyond kMaxBirths.
  void note_birth(Birth birth);
  // The oldest one that returns from the kernel to `pc`.
  std::optional<Birth> take_birth(std::uint64_t pc);

  std::vector<ThreadFacts>& threads() { return threads_; }
  const std::vector<ThreadFacts>& threads() const { return threads_; }

  static constexpr std::size_t kMaxParked = 4096, kMaxBirths = 256;

 private:
  std::deque<Context> parked_;
  std::deque<Birth> births_;
  std::vector<ThreadFacts> threads_;
};

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// Functions of the kernel and the SBI whose meaning for stacks is known by
// name: where traps are entered and left, where threads change. kNone, or not
// in a list, if the files do not have them.
#pragma once

#include <algorithm>
#include <vector>

#include "itrace/code/code_map.h"

namespace wick {

class Landmarks {
 public:
  explicit Landmarks(const CodeMap& map);

  bool is_trap_entry(FunctionId id) const { return is_in(trap_entries_, id); }
  bool is_trap_exit(FunctionId id) const { return is_in(trap_exits_, id); }
  // All threads leave and resume in it.
  bool is_switch(FunctionId id) const { return is(switch_to_, id); }
  // Wakes a thread that was created.
  bool is_wake_new(FunctionId id) const { return is(wake_new_, id); }
  // Where a thread ends.
  bool is_end_of_thread(FunctionId id) const { return is(task_dead_, id); }
  // Replaces the program of a process, for good.
  bool is_new_program(FunctionId id) const { return is_in(new_programs_, id); }
  bool is_sigreturn(FunctionId id) const { return is(sigreturn_, id); }

 private:
  static bool is(FunctionId known, FunctionId id) {
    return id == known && known != FunctionId::kNone;
  }
  static bool is_in(const std::vector<FunctionId>& known, FunctionId id) {
    return std::ranges::find(known, id) != known.end();
  }

  std::vector<FunctionId> trap_entries_, trap_exits_, new_programs_;
  FunctionId switch_to_ = FunctionId::kNone, wake_new_ = FunctionId::kNone,
             task_dead_ = FunctionId::kNone, sigreturn_ = FunctionId::kNone;
};

}  // namespace wick

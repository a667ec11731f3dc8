// SPDX-License-Identifier: Apache-2.0
#include "itrace/stacks/landmarks.h"

namespace wick {

Landmarks::Landmarks(const CodeMap& map)
    : switch_to_(map.find_function("__switch_to")),
      wake_new_(map.find_function("wake_up_new_task")),
      task_dead_(map.find_function("do_task_dead")) {
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
  for (const char* name : {"begin_new_exec", "flush_old_exec"})
    add(new_programs_, name);
  for (const char* name : {"__riscv_sys_rt_sigreturn", "sys_rt_sigreturn"})
    if (sigreturn_ == FunctionId::kNone) sigreturn_ = map.find_function(name);
}

}  // namespace wick

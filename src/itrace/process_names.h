// SPDX-License-Identifier: Apache-2.0
// Names for the processes of a trace that has none: each is called after the
// program that it runs, "hard", and others of that name "hard #2" and so on, in
// the order in which they appear; those that have ended keep their names. From
// the hundredth on, they are all "hard #100+". Without the program's file, it
// is "process 1".
//
// How threads begin tells which of them belong together (see thread_birth.cc):
// one that is created is of its creator's process, unless it was forked; exec
// begins another process. If the beginning of a thread was not traced, it
// belongs to the process that was last seen with its program in its address
// space.
#pragma once

#include <string>
#include <vector>

#include "itrace/code/code_map.h"
#include "itrace/stacks/accounts.h"
#include "itrace/stacks/contexts.h"

namespace wick {

struct ProcessNames {
  struct Process {
    std::string name;
    SpaceId space = SpaceId::kNone;  // where it was seen first
  };
  std::vector<Process> processes;  // without a name in the trace
  // For each row of Contexts::threads(): its own name, or that of its process;
  // "" for a thread of the kernel and for a row that is not used.
  std::vector<ThreadFacts::Process> of_thread;
};

ProcessNames name_processes(const Contexts& contexts, const Accounts& accounts,
                            const CodeMap& map);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// One look at a thread that sleeps, from outside: it is not stopped, and no
// signal or ptrace request reaches it. What was read counts only if the thread
// has not run meanwhile, which its context switches show.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "perf/events/proc_thread.h"
#include "perf/events/system_paths.h"
#include "perf/recording/task_iterator.h"
#include "perf/records/abi.h"

namespace wick {

struct SleepingThread {
  pid_t pid = 0, tid = 0;
  std::string name;
  char state = 'S';
  int priority = 120;
  std::uint32_t cpu = 0;   // where it ran last
  std::uint64_t time = 0;  // when it certainly slept
  std::vector<std::uint64_t> kernel_leaf_first;
  std::uint64_t abi = 0;  // kRegsAbi*
  // By perf's numbers; kUnknownRegister where nobody knows.
  std::array<std::uint64_t, SeenTask::kMaxRegisters> registers{};
  std::string user_stack;  // from the stack pointer upwards
  // The kernel does not let us read it, or its own part.
  bool is_stack_hidden = false, is_kernel_stack_hidden = false;

  bool has_place() const {
    return abi != kRegsAbiNone || !kernel_leaf_first.empty();
  }
};

// Why the stack of a process of the same user is hidden and what shows it, to
// follow a sentence that it is; "" for root, who has all rights that help.
std::string why_stacks_are_hidden(bool is_root, const SystemPaths& paths = {});

// Runtime addresses of the kernel's functions, by name. Reads all of kallsyms
// at the first question.
class KernelAddresses {
 public:
  explicit KernelAddresses(std::string kallsyms);
  // Nothing if it is unknown or hidden.
  std::optional<std::uint64_t> find(const KernelFrameText& frame);

 private:
  std::string kallsyms_;
  bool is_read_ = false;
  std::unordered_map<std::string, std::uint64_t> addresses_;
};

class ThreadLook {
 public:
  using Now = std::function<std::uint64_t()>;
  // Copies at most `stack_size` bytes of a stack. `now` is the clock of
  // SleepingThread::time.
  ThreadLook(std::size_t stack_size, Now now, const SystemPaths& paths = {});

  // Nothing if the thread runs, has run meanwhile, or has ended.
  std::optional<SleepingThread> through_proc(pid_t pid, pid_t tid);
  std::optional<SleepingThread> completed(const SeenTask& seen);

 private:
  std::string read(const SleepingThread& thread, const char* file) const;
  void read_kernel_stack(SleepingThread& thread);
  void copy_stack(SleepingThread& thread, std::uint64_t sp) const;
  // Whether it still sleeps, and has since `before`.
  bool is_asleep_since(const SwitchCounts& before,
                       SleepingThread& thread) const;

  std::size_t stack_size_;
  Now now_;
  std::string proc_;
  KernelAddresses kernel_;
};

}  // namespace wick

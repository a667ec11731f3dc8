// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/thread_look.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "builders/fake_system.h"
#include "object/elf/machine.h"
#include "perf/records/abi.h"
#include "perf/records/registers.h"

namespace wick {
namespace {

using testing::ElementsAre;

std::uint64_t no_time() { return 0; }

// A child that runs `work`, and ends with the test.
class ChildProcess {
 public:
  explicit ChildProcess(void (*work)()) : pid_(::fork()) {
    if (pid_ != 0) return;
    work();
    ::_exit(0);
  }
  ~ChildProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// With a stack of more than what is copied, even if the environment is empty.
void sleep_forever() {
  const volatile char room[8192] = {};
  while (room[0] == 0) ::pause();
}
[[noreturn]] void run_forever() {
  volatile int turns = 0;
  while (true) turns = turns + 1;
}

// The first look that finds it asleep.
template <class Look>
std::optional<SleepingThread> wait_for(Look look) {
  for (int i = 0; i < 2000; ++i) {
    if (auto thread = look()) return thread;
    ::usleep(1000);
  }
  return std::nullopt;
}

std::uint64_t register_of(const SleepingThread& thread, int number) {
  return thread.registers.at(static_cast<std::size_t>(number));
}

TEST(ThreadLook, FindsTheStackPointerAndTheBytesThere) {
  const ChildProcess child(sleep_forever);
  ThreadLook look(4096, no_time);
  const auto thread =
      wait_for([&] { return look.through_proc(child.pid(), child.pid()); });
  if (!thread) GTEST_SKIP() << "/proc/PID/syscall is not available";
  EXPECT_EQ(thread->state, 'S');
  EXPECT_EQ(thread->abi, kRegsAbi64);
  EXPECT_EQ(thread->user_stack.size(), 4096u);
  EXPECT_EQ(thread->registers[0], kUnknownRegister);
}

TEST(ThreadLook, BpfAndProcSeeTheSame) {
  const auto iterator = TaskIterator::load();
  if (!iterator) GTEST_SKIP() << "BPF iterators are not available";
  const ChildProcess child(sleep_forever);
  ThreadLook look(4096, no_time);
  const auto by_proc =
      wait_for([&] { return look.through_proc(child.pid(), child.pid()); });
  if (!by_proc) GTEST_SKIP() << "/proc/PID/syscall is not available";
  std::optional<SleepingThread> by_bpf;
  EXPECT_TRUE(iterator->for_each([&](const SeenTask& seen) {
    if (seen.tid == static_cast<std::uint32_t>(child.pid()))
      by_bpf = look.completed(seen);
  }));
  ASSERT_TRUE(by_bpf);
  const PerfRegisters& numbers = traits_of(own_machine()).perf_registers;
  EXPECT_EQ(register_of(*by_bpf, numbers.pc),
            register_of(*by_proc, numbers.pc));
  EXPECT_EQ(register_of(*by_bpf, numbers.sp),
            register_of(*by_proc, numbers.sp));
  EXPECT_EQ(by_bpf->user_stack, by_proc->user_stack);
  if (!by_proc->kernel_leaf_first.empty()) {
    EXPECT_EQ(by_bpf->kernel_leaf_first, by_proc->kernel_leaf_first);
  }
}

TEST(ThreadLook, AThreadThatRunsIsNotAsleep) {
  const ChildProcess child(run_forever);
  ThreadLook look(4096, no_time);
  // Whether it has a CPU or waits for one.
  for (int i = 0; i < 20; ++i)
    EXPECT_FALSE(look.through_proc(child.pid(), child.pid()));
}

// A kernel thread as /proc shows it.
class ShownThread : public testing::Test {
 protected:
  ShownThread() {
    show_switches(5);
    system_.file("/proc/7/task/7/syscall", "0 0 0 0 0 0 0 0x0 0x0\n");
    system_.file("/proc/7/task/7/stack",
                 "[<0>] wait+0x4/0x10\n[<0>] run+0x1/0x9 [other]\n");
    system_.file("/proc/7/task/7/stat",
                 "7 (k) S 2 0 0 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0 0 1 1 0 "
                 "0 0 0 0 6 0 1 0 0 17 3 0 0\n");
    system_.file("/proc/kallsyms",
                 "ffffffff81000010 t wait\nffffffffc0000020 t run\t[other]\n");
  }
  void show_switches(int count) {
    system_.file("/proc/7/task/7/status",
                 fmt::format("Name:\tk\nvoluntary_ctxt_switches:\t{}\n"
                             "nonvoluntary_ctxt_switches:\t0\n",
                             count));
  }
  FakeSystem system_;
};

TEST_F(ShownThread, HasItsKernelStackByName) {
  ThreadLook look(
      4096, [] { return std::uint64_t{42}; }, system_.paths);
  const auto thread = look.through_proc(7, 7);
  ASSERT_TRUE(thread);
  EXPECT_EQ(thread->name, "k");
  EXPECT_EQ(thread->cpu, 3u);
  EXPECT_EQ(thread->time, 42u);
  EXPECT_EQ(thread->abi, kRegsAbiNone);
  EXPECT_THAT(thread->kernel_leaf_first,
              ElementsAre(0xffffffff81000014, 0xffffffffc0000021));
}

TEST_F(ShownThread, CountsForNothingIfItRanMeanwhile) {
  ThreadLook look(
      4096,
      [&] {
        show_switches(6);
        return std::uint64_t{42};
      },
      system_.paths);
  EXPECT_FALSE(look.through_proc(7, 7));
}

TEST_F(ShownThread, CountsForNothingIfItWasWokenMeanwhile) {
  ThreadLook look(
      4096,
      [&] {
        system_.file("/proc/7/task/7/syscall", "running\n");
        return std::uint64_t{42};
      },
      system_.paths);
  EXPECT_FALSE(look.through_proc(7, 7));
}

TEST_F(ShownThread, HasItsKernelStackAloneIfTheRestIsHidden) {
  system_.file("/proc/7/task/7/syscall", "");
  ThreadLook look(4096, no_time, system_.paths);
  const auto thread = look.through_proc(7, 7);
  ASSERT_TRUE(thread);
  EXPECT_TRUE(thread->is_stack_hidden);
  EXPECT_TRUE(thread->has_place());
}

TEST_F(ShownThread, HasNoPlaceIfEverythingIsHidden) {
  system_.file("/proc/7/task/7/syscall", "");
  system_.file("/proc/7/task/7/stack", "");
  ThreadLook look(4096, no_time, system_.paths);
  const auto thread = look.through_proc(7, 7);
  ASSERT_TRUE(thread);
  EXPECT_TRUE(thread->is_stack_hidden);
  EXPECT_FALSE(thread->has_place());
}

TEST_F(ShownThread, MayHideItsKernelStackAlone) {
  system_.file("/proc/7/task/7/stack", "");
  ThreadLook look(4096, no_time, system_.paths);
  const auto thread = look.through_proc(7, 7);
  ASSERT_TRUE(thread);
  EXPECT_FALSE(thread->is_stack_hidden);
  EXPECT_TRUE(thread->is_kernel_stack_hidden);
}

TEST(HiddenStacks, AreExplainedByWhatForbidsToSeeThem) {
  FakeSystem system;
  EXPECT_EQ(why_stacks_are_hidden(true, system.paths), "");
  EXPECT_EQ(why_stacks_are_hidden(false, system.paths),
            "; record as root to see them");
  system.file("/proc/sys/kernel/yama/ptrace_scope", "1\n");
  EXPECT_EQ(why_stacks_are_hidden(false, system.paths),
            ": kernel.yama.ptrace_scope is 1; record as root, or after `sudo "
            "sysctl kernel.yama.ptrace_scope=0`, to see them");
  system.file("/proc/sys/kernel/yama/ptrace_scope", "3\n");
  EXPECT_EQ(why_stacks_are_hidden(false, system.paths),
            ": kernel.yama.ptrace_scope forbids it until the next boot");
}

TEST_F(ShownThread, HasNoKernelStackIfAddressesAreHidden) {
  system_.file("/proc/kallsyms", "0000000000000000 t wait\n");
  ThreadLook look(4096, no_time, system_.paths);
  const auto thread = look.through_proc(7, 7);
  ASSERT_TRUE(thread);
  EXPECT_THAT(thread->kernel_leaf_first, ElementsAre());
}

}  // namespace
}  // namespace wick

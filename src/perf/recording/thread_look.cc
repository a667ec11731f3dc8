// SPDX-License-Identifier: Apache-2.0
#include "perf/recording/thread_look.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/text.h"
#include "io/process_stat.h"
#include "io/read_file.h"
#include "object/elf/machine.h"
#include "perf/events/proc_files.h"
#include "perf/records/abi.h"
#include "perf/records/registers.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxThreadFile = 64 << 10;
constexpr std::size_t kMaxKernelSymbols = std::size_t{1} << 20;

// Page by page: what cannot be read, such as the end of the stack's mapping,
// does not hide what can.
std::vector<iovec> pages_of(std::uint64_t start, std::size_t size) {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::vector<iovec> parts;
  while (size > 0) {
    const auto rest = std::min<std::uint64_t>(size, page - start % page);
    parts.push_back({reinterpret_cast<void*>(start), rest});
    size -= rest;
    start += rest;
  }
  return parts;
}

}  // namespace

KernelAddresses::KernelAddresses(std::string kallsyms)
    : kallsyms_(std::move(kallsyms)) {}

std::optional<std::uint64_t> KernelAddresses::find(
    const KernelFrameText& frame) {
  // Functions of one name, which are static ones, look the same in a stack.
  const auto key = [](std::string_view module, std::string_view function) {
    return fmt::format("{}:{}", module, function);
  };
  if (!std::exchange(is_read_, true))
    for_each_line(kallsyms_, [&](std::string_view line) {
      const auto address = to_number<std::uint64_t>(take_word(line), 16);
      const std::string_view kind = take_word(line);
      const std::string_view name = take_word(line);
      std::string_view module = trim(line);
      if (module.size() > 2) module = module.substr(1, module.size() - 2);
      if (address.value_or(0) != 0 && (kind == "t" || kind == "T"))
        addresses_.emplace(key(module, name), *address);
      return addresses_.size() < kMaxKernelSymbols;
    });
  const auto found = addresses_.find(key(frame.module, frame.function));
  if (found == addresses_.end()) return std::nullopt;
  return found->second + frame.offset;
}

// /proc/TID/syscall and process_vm_readv() demand the right to attach as a
// debugger, which Yama restricts. Recording events does not.
std::string why_stacks_are_hidden(bool is_root, const SystemPaths& paths) {
  if (is_root) return {};
  const auto scope = to_number<int>(
      trim(read_small_file(paths.proc + "/sys/kernel/yama/ptrace_scope",
                           kMaxThreadFile)
               .value_or("")));
  if (scope.value_or(0) == 0) return "; record as root to see them";
  if (*scope > 2)
    return ": kernel.yama.ptrace_scope forbids it until the next boot";
  return fmt::format(
      ": kernel.yama.ptrace_scope is {}; record as root, or after `sudo sysctl "
      "kernel.yama.ptrace_scope=0`, to see them",
      *scope);
}

ThreadLook::ThreadLook(std::size_t stack_size, Now now,
                       const SystemPaths& paths)
    : stack_size_(stack_size),
      now_(std::move(now)),
      proc_(paths.proc),
      kernel_(paths.proc + "/kallsyms") {}

// Not /proc/TID: there, the kernel adds up the times of all threads.
std::string ThreadLook::read(const SleepingThread& thread,
                             const char* file) const {
  return read_small_file(fmt::format("{}/{}/task/{}/{}", proc_, thread.pid,
                                     thread.tid, file),
                         kMaxThreadFile)
      .value_or("");
}

std::optional<SleepingThread> ThreadLook::through_proc(pid_t pid, pid_t tid) {
  SleepingThread thread{.pid = pid, .tid = tid};
  const auto before = parse_switch_counts(read(thread, "status"));
  const std::string syscall = read(thread, "syscall");
  const auto at = parse_blocked_at(syscall);
  thread.is_stack_hidden = syscall.empty();
  if (!before || (!at && !thread.is_stack_hidden)) return std::nullopt;
  read_kernel_stack(thread);
  if (at && at->sp != 0) {
    const PerfRegisters& numbers = traits_of(own_machine()).perf_registers;
    thread.abi = kRegsAbi64;
    thread.registers.fill(kUnknownRegister);
    if (numbers.pc >= 0) {
      thread.registers[static_cast<std::size_t>(numbers.pc)] = at->pc;
      thread.registers[static_cast<std::size_t>(numbers.sp)] = at->sp;
    }
    copy_stack(thread, at->sp);
  }
  if (!is_asleep_since(*before, thread)) return std::nullopt;
  return thread;
}

std::optional<SleepingThread> ThreadLook::completed(const SeenTask& seen) {
  if (seen.is_on_cpu != 0) return std::nullopt;
  SleepingThread thread{.pid = static_cast<pid_t>(seen.pid),
                        .tid = static_cast<pid_t>(seen.tid),
                        .registers = seen.registers};
  const auto kernel = seen.kernel_leaf_first();
  thread.kernel_leaf_first.assign(kernel.begin(), kernel.end());
  if (!seen.is_kernel_thread()) {
    thread.abi = seen.is_32_bit() ? kRegsAbi32 : kRegsAbi64;
    const int sp = traits_of(own_machine()).perf_registers.sp;
    copy_stack(thread, seen.registers[static_cast<std::size_t>(sp)]);
  }
  if (!is_asleep_since({seen.voluntary, seen.forced}, thread))
    return std::nullopt;
  return thread;
}

void ThreadLook::read_kernel_stack(SleepingThread& thread) {
  const std::string text = read(thread, "stack");
  thread.is_kernel_stack_hidden = text.empty();
  for (std::string_view rest = text; !rest.empty();) {
    const auto frame = parse_kernel_frame(take_line(rest));
    const auto address = frame ? kernel_.find(*frame) : std::nullopt;
    if (address) thread.kernel_leaf_first.push_back(*address);
  }
}

void ThreadLook::copy_stack(SleepingThread& thread, std::uint64_t sp) const {
  const std::size_t size =
      std::min<std::uint64_t>(stack_size_, UINT64_MAX - sp);
  std::vector<iovec> there = pages_of(sp, size);
  thread.user_stack.resize(size);
  iovec here{thread.user_stack.data(), size};
  const ssize_t copied =
      ::process_vm_readv(thread.tid, &here, 1, there.data(), there.size(), 0);
  thread.is_stack_hidden |= copied < 0 && errno == EPERM;
  thread.user_stack.resize(
      static_cast<std::size_t>(std::max<ssize_t>(copied, 0)));
}

bool ThreadLook::is_asleep_since(const SwitchCounts& before,
                                 SleepingThread& thread) const {
  thread.time = now_();
  const std::string stat_text = read(thread, "stat");
  const auto stat = parse_process_stat(stat_text);
  if (!stat || stat->state == 'R') return false;
  // The kernel waits until the thread has left its CPU before it answers.
  // Without the right to look into the process, only the kernel's part is
  // known, which was taken at one moment.
  const std::string syscall = read(thread, "syscall");
  if (!syscall.empty() && !parse_blocked_at(syscall)) return false;
  if (syscall.empty()) {
    thread.user_stack.clear();
    thread.is_stack_hidden |= thread.abi != kRegsAbiNone;
  }
  thread.name = stat->name;
  thread.state = stat->state;
  thread.priority = stat->priority;
  thread.cpu = stat->cpu;
  return parse_switch_counts(read(thread, "status")) == before;
}

}  // namespace wick

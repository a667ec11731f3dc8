// SPDX-License-Identifier: Apache-2.0
#include "io/system_call_filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstddef>
#include <vector>

namespace wick {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_RISCV64;
#else
constexpr std::uint32_t kArchitecture = 0;  // no filter
#endif

// The x32 variants of system calls on x86-64.
constexpr std::uint32_t kX32 = 0x40000000;

// The architecture is compared, too: the numbers of 32-bit calls mean other
// things.
bool filter_system_calls(std::span<const std::uint32_t> numbers,
                         std::uint32_t these, std::uint32_t others) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (kArchitecture == 0) return true;
  constexpr std::uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kX32, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, kRefused),
  };
  for (const std::uint32_t number : numbers) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, these));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, others));
  const sock_fprog program{.len = static_cast<unsigned short>(filter.size()),
                           .filter = filter.data()};
  // A kernel without seccomp answers EINVAL.
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ||
         errno == EINVAL;
}

}  // namespace

bool allow_only_system_calls(std::span<const std::uint32_t> numbers) {
  return filter_system_calls(numbers, SECCOMP_RET_ALLOW,
                             SECCOMP_RET_ERRNO | EPERM);
}

bool forbid_system_calls(std::span<const std::uint32_t> numbers) {
  return filter_system_calls(numbers, SECCOMP_RET_ERRNO | EPERM,
                             SECCOMP_RET_ALLOW);
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "agent/privileges.h"

#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "io/system_call_filter.h"

namespace wick {
namespace {

constexpr std::uint32_t kNewSockets[] = {
    __NR_socket,         __NR_socketpair, __NR_connect, __NR_bind, __NR_listen,
#ifdef __NR_io_uring_setup
    __NR_io_uring_setup,  // which can do all of these
#endif
};

}  // namespace

void keep_capabilities(std::span<const int> kept) {
  // These need CAP_SETPCAP, as root has it. Whoever lacks that has been started
  // with just a few, and they end with no_new_privs.
  for (int number = 0; ::prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; ++number)
    if (std::ranges::find(kept, number) == kept.end())
      ::prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
  ::prctl(PR_SET_SECUREBITS,
          (SECURE_ALL_BITS & ~SECBIT_KEEP_CAPS) | SECURE_ALL_LOCKS, 0, 0, 0);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);

  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3]{};
  if (::syscall(SYS_capget, &header, sets) != 0)
    fail("the capabilities cannot be read: {}", last_system_error());
  for (std::uint32_t word = 0; word < std::size(sets); ++word) {
    std::uint32_t mask = 0;
    for (const int number : kept)
      if (static_cast<std::uint32_t>(number) / 32 == word)
        mask |= std::uint32_t{1} << (number % 32);
    sets[word].permitted &= mask;
    sets[word].effective = sets[word].permitted;
    sets[word].inheritable = 0;
  }
  if (::syscall(SYS_capset, &header, sets) != 0 ||
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    fail("capabilities cannot be given up: {}", last_system_error());
}

void forbid_new_sockets() {
  if (!forbid_system_calls(kNewSockets))
    fail("system calls cannot be forbidden: {}", last_system_error());
}

}  // namespace wick

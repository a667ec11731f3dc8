// SPDX-License-Identifier: Apache-2.0
#include "agent/privileges.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>
#include <string>

namespace wick {
namespace {

int in_process(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A line of /proc/self/status, "CapEff:" or another.
std::string status_line(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string word, value; file >> word >> value;
       file.ignore(1 << 20, '\n'))
    if (word == name) return value;
  return "missing";
}

constexpr std::array kKept = {CAP_SYSLOG, CAP_SYS_PTRACE};

TEST(Privileges, OnlyTheKeptCapabilitiesRemain) {
  EXPECT_EQ(in_process([] {
              keep_capabilities(kKept);
              const auto held =
                  std::stoull(status_line("CapPrm:"), nullptr, 16);
              constexpr std::uint64_t kMask =
                  1ULL << CAP_SYSLOG | 1ULL << CAP_SYS_PTRACE;
              if ((held & ~kMask) != 0) return 1;
              if (status_line("CapEff:") != status_line("CapPrm:")) return 2;
              return status_line("NoNewPrivs:") == "1" ? 0 : 3;
            }),
            0);
}

TEST(Privileges, AProgramOfRootGetsNoneBack) {
  if (::geteuid() != 0 || ::prctl(PR_CAPBSET_READ, CAP_SETPCAP) != 1)
    GTEST_SKIP() << "not root";
  EXPECT_EQ(in_process([] {
              keep_capabilities(kKept);
              ::execlp("grep", "grep", "-q", "^CapEff:.0000000000000000$",
                       "/proc/self/status", nullptr);
              return 99;
            }),
            0);
}

TEST(Privileges, SocketsAreMadeNoMore) {
  EXPECT_EQ(in_process([] {
              forbid_new_sockets();
              if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) return 1;
              if (::socket(AF_NETLINK, SOCK_RAW, 0) >= 0) return 2;
              int pair[2];
              return ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1 ? 0 : 3;
            }),
            0);
}

TEST(Privileges, SocketsThatExistStillWork) {
  EXPECT_EQ(in_process([] {
              int pair[2];
              if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
              forbid_new_sockets();
              char byte = 'x';
              if (::send(pair[0], &byte, 1, 0) != 1) return 2;
              return ::recv(pair[1], &byte, 1, 0) == 1 ? 0 : 3;
            }),
            0);
}

}  // namespace
}  // namespace wick

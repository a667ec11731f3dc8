// SPDX-License-Identifier: Apache-2.0
#include "server/own_addresses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "builders/test_folder.h"

namespace wick {
namespace {

using Addresses = std::vector<std::string>;

TEST(OwnAddresses, AreThoseThatTheKernelCallsLocal) {
  const TestFolder folder;
  std::filesystem::create_directory(folder.path() + "/net");
  std::ofstream(folder.path() + "/net/fib_trie") << R"(Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 10.0.0.0/24 2 0 2
        |-- 10.0.0.7
           /32 host LOCAL
        |-- 10.0.0.255
           /32 link BROADCAST
Local:
        |-- 10.0.0.7
           /32 host LOCAL
        |-- 127.0.0.1
           /32 host LOCAL
)";
  std::ofstream(folder.path() + "/net/if_inet6")
      << "00000000000000000000000000000001 01 80 10 80       lo\n"
         "fe80000000000000021122fffe334455 02 40 20 80     eth0\n"
         "nonsense\n";
  EXPECT_EQ(
      own_addresses(folder.path()),
      (Addresses{"10.0.0.7", "127.0.0.1", "::1", "fe80::211:22ff:fe33:4455"}));
}

TEST(OwnAddresses, OfThisMachineHaveThoseOfTheLoopback) {
  if (!std::filesystem::exists("/proc/net/fib_trie"))
    GTEST_SKIP() << "no routing table";
  const Addresses addresses = own_addresses();
  EXPECT_NE(std::ranges::find(addresses, "127.0.0.1"), addresses.end());
}

TEST(OwnAddresses, WithoutProcThereAreNone) {
  EXPECT_EQ(own_addresses("/nowhere"), Addresses{});
}

}  // namespace
}  // namespace wick

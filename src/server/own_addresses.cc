// SPDX-License-Identifier: Apache-2.0
#include "server/own_addresses.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "io/read_file.h"

namespace wick {
namespace {

constexpr std::uint64_t kMostBytesOfRoutes = std::uint64_t{16} << 20;

// The routing table has a leaf for each address, and below it what it is:
//       |-- 10.0.0.7
//          /32 host LOCAL
void add_addresses_of_routes(std::string_view text,
                             std::vector<std::string>& addresses) {
  std::string_view leaf;
  while (!text.empty()) {
    const std::string_view line = trim(take_line(text));
    if (line.starts_with("|-- "))
      leaf = line.substr(4);
    else if (line == "/32 host LOCAL" && !leaf.empty())
      addresses.emplace_back(leaf);
  }
}

// "fe80000000000000021122fffe334455 02 40 20 80 eth0"
void add_addresses_of_version_6(std::string_view text,
                                std::vector<std::string>& addresses) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    const std::string_view digits = take_word(line);
    std::array<std::uint8_t, 16> bytes{};
    if (digits.size() != 2 * bytes.size()) continue;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] =
          to_number<std::uint8_t>(digits.substr(2 * i, 2), 16).value_or(0);
    char name[INET6_ADDRSTRLEN];
    if (::inet_ntop(AF_INET6, bytes.data(), name, sizeof name) != nullptr)
      addresses.emplace_back(name);
  }
}

}  // namespace

std::vector<std::string> own_addresses(const std::string& proc) {
  std::vector<std::string> addresses;
  if (const auto routes =
          read_small_file(proc + "/net/fib_trie", kMostBytesOfRoutes))
    add_addresses_of_routes(*routes, addresses);
  if (const auto list =
          read_small_file(proc + "/net/if_inet6", kMostBytesOfRoutes))
    add_addresses_of_version_6(*list, addresses);
  std::ranges::sort(addresses);
  const auto repeated = std::ranges::unique(addresses);
  addresses.erase(repeated.begin(), repeated.end());
  return addresses;
}

}  // namespace wick

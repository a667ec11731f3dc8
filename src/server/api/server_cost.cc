// SPDX-License-Identifier: Apache-2.0
#include "server/api/server_cost.h"

#include <sys/resource.h>
#include <unistd.h>

#include <string_view>

#include "base/text.h"
#include "io/read_file.h"

namespace wick {

ServerCost server_cost() {
  ServerCost cost;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0)
    for (const timeval& time : {usage.ru_utime, usage.ru_stime})
      cost.cpu_seconds += static_cast<double>(time.tv_sec) +
                          static_cast<double>(time.tv_usec) / 1e6;
  // Its second number is in pages.
  const auto text = read_small_file("/proc/self/statm", 4096);
  std::string_view rest = text ? std::string_view(*text) : "";
  take_word(rest);
  if (const auto pages = to_number<std::uint64_t>(take_word(rest)))
    cost.resident_bytes =
        *pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return cost;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "agent/own_cost.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "base/text.h"
#include "io/unique_fd.h"

namespace wick {

void add_own_cost(pid_t pid, std::string_view label, HostMetrics& metrics) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 ||
      ::clock_gettime(clock, &used) != 0)
    return;
  metrics.add(Metric::kWickCpu,
              static_cast<double>(used.tv_sec) * 1e9 +
                  static_cast<double>(used.tv_nsec),
              label);

  const std::string path = "/proc/" + std::to_string(pid) + "/statm";
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char bytes[256];
  const ssize_t got = fd ? ::read(fd.get(), bytes, sizeof bytes) : 0;
  if (got <= 0) return;
  std::string_view text(bytes, static_cast<std::size_t>(got));
  take_word(text);  // the size of its address space
  const auto pages = to_number<std::uint64_t>(take_word(text));
  if (!pages) return;
  static const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  metrics.add(Metric::kWickMemory, static_cast<double>(*pages) * page, label);
}

}  // namespace wick

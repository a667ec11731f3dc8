// SPDX-License-Identifier: Apache-2.0
#include "io/process_start.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include "io/process_stat.h"
#include "io/read_file.h"

namespace wick {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t clock_now(clockid_t clock) {
  timespec now{};
  if (::clock_gettime(clock, &now) != 0) return 0;
  return now.tv_sec * kSecond + now.tv_nsec;
}

}  // namespace

std::optional<std::int64_t> process_start(std::uint32_t pid) {
  const auto text = read_small_file(fmt::format("/proc/{}/stat", pid),
                                    std::uint64_t{1} << 16);
  const auto stat = text ? parse_process_stat(*text) : std::nullopt;
  if (!stat) return {};
  const auto ticks = static_cast<std::int64_t>(stat->start_ticks);
  const std::int64_t per_second = ::sysconf(_SC_CLK_TCK);
  if (per_second <= 0) return {};
  const auto seconds = ticks / per_second;
  const auto rest = ticks % per_second;
  return clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME) +
         seconds * kSecond + rest * (kSecond / per_second);
}

}  // namespace wick

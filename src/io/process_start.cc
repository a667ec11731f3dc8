// SPDX-License-Identifier: Apache-2.0
#include "io/process_start.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
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

// "4711 (name) S 1 …": a name may contain anything, also blanks and brackets.
std::optional<std::uint64_t> start_ticks(std::string_view stat) {
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos) return {};
  std::string_view rest = stat.substr(name_end + 1);
  constexpr int kFieldsBefore = 19;  // from the state to itrealvalue
  for (int i = 0; i < kFieldsBefore; ++i) take_word(rest);
  return to_number<std::uint64_t>(take_word(rest));
}

std::optional<std::int64_t> process_start(std::uint32_t pid) {
  const auto stat = read_small_file(fmt::format("/proc/{}/stat", pid),
                                    std::uint64_t{1} << 16);
  const auto ticks = stat ? start_ticks(*stat) : std::nullopt;
  if (!ticks) return {};
  const std::int64_t per_second = ::sysconf(_SC_CLK_TCK);
  if (per_second <= 0) return {};
  const auto seconds = static_cast<std::int64_t>(*ticks) / per_second;
  const auto rest = static_cast<std::int64_t>(*ticks) % per_second;
  return clock_now(CLOCK_REALTIME) - clock_now(CLOCK_BOOTTIME) +
         seconds * kSecond + rest * (kSecond / per_second);
}

}  // namespace wick

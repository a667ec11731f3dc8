// SPDX-License-Identifier: Apache-2.0
#include "perf/file/machine_info.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/text.h"
#include "io/read_file.h"

namespace wick {
namespace {

constexpr std::uint64_t kMaxFile = 16 << 20;

// The value of the first line "key : value".
std::string_view value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (!line.starts_with(key)) continue;
    if (trim(take_until(line, ':')) == key) return trim(line);
  }
  return {};
}

std::uint32_t count_of(int name) {
  return static_cast<std::uint32_t>(std::max(::sysconf(name), 0l));
}

}  // namespace

void read_cpuinfo(std::string_view text, MachineInfo& info) {
  // x86 and riscv, arm, s390, power.
  for (const char* key :
       {"model name", "Processor", "processor", "cpu", "uarch"}) {
    const std::string_view value = value_of(text, key);
    if (value.empty() || all_digits(value)) continue;
    info.cpu_description = value;
    break;
  }
  const std::string_view vendor = value_of(text, "vendor_id");
  const std::string_view family = value_of(text, "cpu family");
  if (vendor.empty() || family.empty()) return;
  info.cpuid = fmt::format("{},{},{},{}", vendor, family,
                           value_of(text, "model"), value_of(text, "stepping"));
}

MachineInfo machine_info() {
  MachineInfo info;
  struct utsname system {};
  if (::uname(&system) == 0) {
    info.hostname = system.nodename;
    info.os_release = system.release;
    info.arch = system.machine;
  }
  info.cpus_online = count_of(_SC_NPROCESSORS_ONLN);
  info.cpus_available = count_of(_SC_NPROCESSORS_CONF);
  if (const auto text = read_small_file("/proc/cpuinfo", kMaxFile))
    read_cpuinfo(*text, info);
  if (const auto text = read_small_file("/proc/meminfo", kMaxFile)) {
    std::string_view value = value_of(*text, "MemTotal");
    info.total_memory_kb =
        to_number<std::uint64_t>(take_word(value)).value_or(0);
  }
  return info;
}

std::vector<PerfHeader::Pmu> read_pmus(const std::string& folder) {
  std::vector<PerfHeader::Pmu> pmus;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto text = read_small_file(entry.path().string() + "/type", 100);
    if (!text) continue;
    if (const auto type = to_number<std::uint32_t>(trim(*text)))
      pmus.push_back({.type = *type, .name = entry.path().filename()});
  }
  std::ranges::sort(pmus, {}, &PerfHeader::Pmu::type);
  return pmus;
}

std::optional<ClockReading> read_clock(int clockid) {
  const auto nanoseconds = [](const timespec& t) {
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(t.tv_nsec);
  };
  timespec resolution{}, clock{}, wall{};
  if (::clock_getres(clockid, &resolution) != 0 ||
      ::clock_gettime(clockid, &clock) != 0 ||
      ::clock_gettime(CLOCK_REALTIME, &wall) != 0)
    return {};
  return ClockReading{.moment = {.clockid = static_cast<std::uint32_t>(clockid),
                                 .wall_ns = nanoseconds(wall),
                                 .clock_ns = nanoseconds(clock)},
                      .resolution_ns = nanoseconds(resolution)};
}

}  // namespace wick

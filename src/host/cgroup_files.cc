// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "host/file_readers.h"
#include "host/proc_text.h"

namespace wick {

void read_cgroup_cpu_stat(std::string_view text, HostMetrics& metrics) {
  static constexpr KeyedMetric kKeys[] = {
      {"user_usec", Metric::kCgroupCpuUser, kMicrosecond},
      {"system_usec", Metric::kCgroupCpuSystem, kMicrosecond},
      {"nr_throttled", Metric::kCgroupThrottles},
      {"throttled_usec", Metric::kCgroupThrottledTime, kMicrosecond},
  };
  add_keyed(text, kKeys, metrics);
}

// "QUOTA PERIOD", or "max PERIOD" without a limit.
void read_cgroup_cpu_max(std::string_view text, HostMetrics& metrics) {
  text = trim(text);
  const auto quota = to_number<std::uint64_t>(take_word(text));
  const auto period = to_number<std::uint64_t>(take_word(text));
  if (quota && period && *period > 0)
    metrics.add(Metric::kCgroupCpuLimit,
                static_cast<double>(*quota) / static_cast<double>(*period));
}

void read_cgroup_memory_current(std::string_view text, HostMetrics& metrics) {
  add_number(text, Metric::kCgroupMemory, metrics);
}

void read_cgroup_memory_max(std::string_view text, HostMetrics& metrics) {
  add_number(text, Metric::kCgroupMemoryLimit, metrics);
}

void read_cgroup_memory_events(std::string_view text, HostMetrics& metrics) {
  static constexpr KeyedMetric kKeys[] = {
      {"high", Metric::kCgroupMemoryHigh},
      {"max", Metric::kCgroupMemoryMax},
      {"oom_kill", Metric::kCgroupOomKills},
  };
  add_keyed(text, kKeys, metrics);
}

void read_cgroup_memory_stat(std::string_view text, HostMetrics& metrics) {
  static constexpr KeyedMetric kKeys[] = {
      {"anon", Metric::kCgroupMemoryAnonymous},
      {"file", Metric::kCgroupMemoryFile},
      {"pgmajfault", Metric::kCgroupMajorFaults},
  };
  add_keyed(text, kKeys, metrics);
}

void read_cgroup_swap_current(std::string_view text, HostMetrics& metrics) {
  add_number(text, Metric::kCgroupSwap, metrics);
}

// "8:0 rbytes=1 wbytes=2 rios=3 wios=4 dbytes=0 dios=0" for each disk.
void read_cgroup_io_stat(std::string_view text, HostMetrics& metrics) {
  double read = 0, written = 0;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    take_word(line);
    while (!trim(line).empty()) {
      std::string_view value = take_word(line);
      const std::string_view key = take_until(value, '=');
      const auto bytes = to_number<std::uint64_t>(value);
      if (!bytes) continue;
      if (key == "rbytes") read += static_cast<double>(*bytes);
      if (key == "wbytes") written += static_cast<double>(*bytes);
    }
  }
  metrics.add(Metric::kCgroupReadBytes, read);
  metrics.add(Metric::kCgroupWrittenBytes, written);
}

void read_cgroup_pids_current(std::string_view text, HostMetrics& metrics) {
  add_number(text, Metric::kCgroupThreads, metrics);
}

void read_cgroup_pids_max(std::string_view text, HostMetrics& metrics) {
  add_number(text, Metric::kCgroupThreadsLimit, metrics);
}

void read_cgroup_pressure(std::string_view resource, std::string_view text,
                          HostMetrics& metrics) {
  add_pressure(text, resource, Metric::kCgroupPressureSome,
               Metric::kCgroupPressureFull, metrics);
}

}  // namespace wick

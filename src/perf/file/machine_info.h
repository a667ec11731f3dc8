// SPDX-License-Identifier: Apache-2.0
// The machine that is recorded on, as a perf.data file describes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/file/header.h"

namespace wick {

struct MachineInfo {
  std::string hostname;
  std::string os_release;  // "6.1.0-18-amd64"
  std::string arch;        // "x86_64"
  std::uint32_t cpus_online = 0, cpus_available = 0;
  std::string cpu_description;  // "Intel(R) Xeon(R) …"
  std::string cpuid;            // x86: "GenuineIntel,6,143,8"
  std::uint64_t total_memory_kb = 0;
};

// Unknown fields stay empty.
MachineInfo machine_info();

// From the text of /proc/cpuinfo: "model name" or its equivalent, and the four
// fields that perf calls the cpuid.
void read_cpuinfo(std::string_view text, MachineInfo& info);

// The kernel's sources of events, in the order of their types.
std::vector<PerfHeader::Pmu> read_pmus(
    const std::string& folder = "/sys/bus/event_source/devices");

// One moment by a clock of clock_gettime and by the wall clock; nothing if
// there is no such clock.
struct ClockReading {
  PerfHeader::ClockData moment;
  std::uint64_t resolution_ns = 0;
};
std::optional<ClockReading> read_clock(int clockid);

}  // namespace wick

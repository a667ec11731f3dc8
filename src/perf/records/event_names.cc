// SPDX-License-Identifier: Apache-2.0
// Names for events that a file does not name: perf's own for the kernel's
// numbers.
#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>

#include "perf/records/attr.h"

namespace wick {
namespace {

constexpr std::array<std::string_view, 10> kHardware = {
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
};
constexpr std::array<std::string_view, 12> kSoftware = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};
constexpr std::array<std::string_view, 7> kCaches = {
    "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};
constexpr std::array<std::string_view, 3> kCacheUses = {
    "load",
    "store",
    "prefetch",
};

std::string at(std::span<const std::string_view> names, std::uint64_t index) {
  return index < names.size() ? std::string(names[index]) : std::string();
}

std::string cache_name(std::uint64_t config) {
  const std::string cache = at(kCaches, config & 0xff);
  const std::string use = at(kCacheUses, config >> 8 & 0xff);
  if (cache.empty() || use.empty()) return {};
  const bool misses = (config >> 16 & 0xff) == 1;
  if (misses) return cache + "-" + use + "-misses";
  return cache + "-" + use + (use.ends_with("ch") ? "es" : "s");
}

}  // namespace

std::string default_event_name(const EventAttr& attr) {
  switch (attr.type) {
    // On a hybrid machine, the upper half selects the PMU.
    case event_type::kHardware:
      return at(kHardware, attr.config & 0xffff'ffff);
    case event_type::kSoftware:
      return at(kSoftware, attr.config);
    case event_type::kHwCache:
      return cache_name(attr.config & 0xffff'ffff);
    case event_type::kRaw:
      return fmt::format("r{:x}", attr.config);
    case event_type::kBreakpoint:
      return fmt::format("mem:{:#x}", attr.config1);
    default:
      return {};
  }
}

}  // namespace wick

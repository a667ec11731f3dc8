// SPDX-License-Identifier: Apache-2.0
// The events of `-e`, as perf record takes them: names, raw codes, events of
// PMUs in sysfs, tracepoints, modifiers, groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/events/system_paths.h"
#include "perf/records/attr.h"

namespace wick {

struct EventSpec {
  // As it stands in the file: as written, with its modifiers ("cycles:u",
  // "sched:sched_switch", "cpu/event=0x3c/").
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0, config3 = 0;
  std::uint32_t bp_type = 0;  // mem:ADDR, a watch point
  // attr_flag::kExclude… and kPinned, kExclusive: of the modifiers alone.
  std::uint64_t flags = 0;
  int precise = 0;           // 0 to 3
  bool precise_max = false;  // :P, the most that the counter can
  std::optional<std::uint64_t> period, frequency;  // of this event alone
  bool is_tracepoint = false;
  // Events of the same group have the same number, else each its own; the
  // first of a group is its leader.
  std::uint32_t group = 0;
  std::string pmu;   // the folder in sysfs, "" if it is not of one
  std::string unit;  // of the counts, where sysfs says one: "Joules"
  double scale = 1;  // counts × scale are in that unit
  // Only these CPUs can count it (uncore); empty if all can.
  std::vector<int> cpus;

  // Sets type, config, flags and precision in `attr`, and period or frequency
  // if they are this event's own; leaves the rest.
  void apply_to(EventAttr& attr) const;
};

// All events of a list such as "cycles:u,{instructions,cache-misses},sched:*".
// Throws UsageError for what is not understood or not there, with the nearest
// names. A glob of tracepoints gives one for each.
std::vector<EventSpec> parse_events(std::string_view list,
                                    const SystemPaths& paths = {});

struct EventName {
  enum class Kind : std::uint8_t {
    kHardware,
    kSoftware,
    kCache,
    kPmu,
    kTracepoint,
  };
  Kind kind{};
  std::string name;
};
// What can be named, whether or not the machine can count it: hardware and
// cache names are there only if it has a PMU for them. Sorted by kind, then by
// name.
std::vector<EventName> list_events(const SystemPaths& paths = {});

}  // namespace wick

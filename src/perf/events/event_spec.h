// SPDX-License-Identifier: Apache-2.0
// Event lists, in the syntax of `perf record -e`: names, raw codes, events of
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
  // As given, with its modifiers ("cycles:u", "sched:sched_switch",
  // "cpu/event=0x3c/"); also its name in the file.
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0, config3 = 0;
  std::uint32_t bp_type = 0;  // mem:ADDR, a watch point
  // attr_flag::kExclude…, kPinned and kExclusive, from modifiers only.
  std::uint64_t flags = 0;
  int precise = 0;           // 0 to 3
  bool precise_max = false;  // :P, as precise as the counter can be
  std::optional<std::uint64_t> period, frequency;  // of this event alone
  bool is_tracepoint = false;
  // Events of one group share a number, others have their own; the first of a
  // group is its leader.
  std::uint32_t group = 0;
  std::string pmu;   // the folder in sysfs; "" if it belongs to none
  std::string unit;  // of the counts, if sysfs has one: "Joules"
  double scale = 1;  // counts × scale are in that unit
  // The only CPUs that can count it (uncore); empty: all.
  std::vector<int> cpus;

  // Sets type, config, flags and precision in `attr`, and period or frequency
  // if the event has its own.
  void apply_to(EventAttr& attr) const;
};

// All events of a list such as "cycles:u,{instructions,cache-misses},sched:*".
// Throws UsageError for syntax errors and unknown events, with similar names. A
// glob of tracepoints gives one event for each.
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
// All names, whether or not the machine can count them; hardware and cache
// events only if it has a PMU for them. Sorted by kind, then by name.
std::vector<EventName> list_events(const SystemPaths& paths = {});

}  // namespace wick

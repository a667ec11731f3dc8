// SPDX-License-Identifier: Apache-2.0
// PMUs as sysfs describes them: which bits of an event's config mean what, and
// events by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/events/event_spec.h"

namespace wick {

struct Pmu {
  std::string name;
  std::uint32_t type = 0;
  std::map<std::string, std::string, std::less<>> formats;  // "config:0-7"
  std::map<std::string, std::string, std::less<>> events;   // "event=0x3c"
  std::map<std::string, std::string, std::less<>> units;
  std::map<std::string, double, std::less<>> scales;
  std::vector<int> cpus;  // that can count; empty: all
  bool is_core = false;   // of the processor's cores

  // Fills `spec` from the text between the slashes of "cpu/TERMS/". Throws
  // UsageError.
  void apply_terms(std::string_view terms, EventSpec& spec) const;
};

// Nothing if there is no such PMU, or the name is no plain file name.
std::optional<Pmu> read_pmu(std::string_view name, const SystemPaths& paths);
// All names, those of the processor first.
std::vector<std::string> list_pmus(const SystemPaths& paths);

}  // namespace wick

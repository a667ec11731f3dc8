// SPDX-License-Identifier: Apache-2.0
// The kernel's generic events: hardware, cache and software.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

struct EventCode {
  std::uint32_t type = 0;  // event_type
  std::uint64_t config = 0;
  friend bool operator==(const EventCode&, const EventCode&) = default;
};

// Knows perf's names and aliases: "cycles" and "cpu-cycles",
// "L1-dcache-load-misses" and "l1d-read-miss".
std::optional<EventCode> find_named_event(std::string_view name);

// All names of a type (hardware, software, cache), without aliases.
std::vector<std::string> named_events(std::uint32_t type);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
// The events that the kernel itself has names for: of the processor, of its
// caches, of the kernel.
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

// perf's names and its other names for the same: "cycles" and "cpu-cycles",
// "L1-dcache-load-misses" and "l1d-read-miss".
std::optional<EventCode> find_named_event(std::string_view name);

// All names of a type (hardware, software, cache), without the other names.
std::vector<std::string> named_events(std::uint32_t type);

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "perf/events/named_events.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "perf/records/attr.h"

namespace wick {
namespace {

// default_event_name() has no names from here on.
constexpr std::uint64_t kMaxGeneric = 32;
constexpr std::uint64_t kCaches = 7, kUses = 3, kResults = 2;

struct Alias {
  std::string_view alias, name;
};
constexpr std::array kAliases = {
    Alias{"cpu-cycles", "cycles"},
    Alias{"branch-instructions", "branches"},
    Alias{"idle-cycles-frontend", "stalled-cycles-frontend"},
    Alias{"idle-cycles-backend", "stalled-cycles-backend"},
    Alias{"faults", "page-faults"},
    Alias{"cs", "context-switches"},
    Alias{"migrations", "cpu-migrations"},
};

struct Part {
  std::string_view name;
  std::uint64_t code;
};
// If one is a prefix of another, the longer one comes first.
constexpr std::array kCacheNames = {
    Part{"l1-dcache", 0}, Part{"l1-data", 0},   Part{"l1-d", 0},
    Part{"l1d", 0},       Part{"l1-icache", 1}, Part{"l1-instruction", 1},
    Part{"l1-i", 1},      Part{"l1i", 1},       Part{"llc", 2},
    Part{"l2", 2},        Part{"dtlb", 3},      Part{"d-tlb", 3},
    Part{"data-tlb", 3},  Part{"itlb", 4},      Part{"instruction-tlb", 4},
    Part{"i-tlb", 4},     Part{"branches", 5},  Part{"branch", 5},
    Part{"bpu", 5},       Part{"btb", 5},       Part{"bpc", 5},
    Part{"node", 6},
};
constexpr std::array kUseNames = {
    Part{"speculative-read", 2},
    Part{"speculative-load", 2},
    Part{"prefetches", 2},
    Part{"prefetch", 2},
    Part{"loads", 0},
    Part{"load", 0},
    Part{"read", 0},
    Part{"stores", 1},
    Part{"store", 1},
    Part{"write", 1},
};
constexpr std::array kResultNames = {
    Part{"references", 0}, Part{"reference", 0}, Part{"refs", 0},
    Part{"access", 0},     Part{"ops", 0},       Part{"misses", 1},
    Part{"miss", 1},
};

// Takes one of `parts` from the front, if '-' or the end follows.
std::optional<std::uint64_t> take_part(std::string_view& text,
                                       std::span<const Part> parts) {
  for (const Part& part : parts) {
    if (!text.starts_with(part.name)) continue;
    const std::string_view rest = text.substr(part.name.size());
    if (!rest.empty() && rest[0] != '-') continue;
    text = rest.substr(rest.empty() ? 0 : 1);
    return part.code;
  }
  return {};
}

std::optional<EventCode> find_cache_event(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  std::string_view rest = lower;
  const auto cache = take_part(rest, kCacheNames);
  if (!cache) return {};
  const auto use = take_part(rest, kUseNames);
  const auto result = take_part(rest, kResultNames);
  // "LLC" alone is ambiguous.
  if (!rest.empty() || (!use && !result)) return {};
  return EventCode{event_type::kHwCache,
                   *cache | use.value_or(0) << 8 | result.value_or(0) << 16};
}

// Combinations that processors have: no stores to instructions or predictions.
bool is_sensible(std::uint64_t cache, std::uint64_t use) {
  constexpr std::uint64_t kLoad = 0, kStore = 1;
  switch (cache) {
    case 1:  // L1-icache
      return use != kStore;
    case 4:  // iTLB
    case 5:  // branch
      return use == kLoad;
    default:
      return true;
  }
}

std::string name_of(std::uint32_t type, std::uint64_t config) {
  EventAttr attr;
  attr.type = type;
  attr.config = config;
  return default_event_name(attr);
}

}  // namespace

std::optional<EventCode> find_named_event(std::string_view name) {
  for (const Alias& alias : kAliases)
    if (name == alias.alias) name = alias.name;
  for (const std::uint32_t type :
       {event_type::kHardware, event_type::kSoftware})
    for (std::uint64_t i = 0; i < kMaxGeneric; ++i)
      if (name == name_of(type, i) && !name.empty()) return EventCode{type, i};
  return find_cache_event(name);
}

std::vector<std::string> named_events(std::uint32_t type) {
  std::vector<std::string> names;
  const auto add = [&](std::uint64_t config) {
    std::string name = name_of(type, config);
    if (!name.empty()) names.push_back(std::move(name));
  };
  if (type != event_type::kHwCache) {
    for (std::uint64_t i = 0; i < kMaxGeneric; ++i) add(i);
  } else {
    for (std::uint64_t cache = 0; cache < kCaches; ++cache)
      for (std::uint64_t use = 0; use < kUses; ++use)
        for (std::uint64_t result = 0; result < kResults; ++result)
          if (is_sensible(cache, use)) add(cache | use << 8 | result << 16);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "format/common/event_label.h"

namespace wick {
namespace {

constexpr std::string_view kBeforeSuffix = " before", kAfterSuffix = " after";

}  // namespace

std::string event_label(const Profile& profile, EventId id) {
  const Event& event = profile.events[id];
  std::string label(profile.strings[event.name]);
  if (event.role == EventRole::kBefore) label += kBeforeSuffix;
  if (event.role == EventRole::kAfter) label += kAfterSuffix;
  return label;
}

EventLabel parse_event_label(std::string_view label) {
  if (label.ends_with(kBeforeSuffix))
    return {label.substr(0, label.size() - kBeforeSuffix.size()),
            EventRole::kBefore};
  if (label.ends_with(kAfterSuffix))
    return {label.substr(0, label.size() - kAfterSuffix.size()),
            EventRole::kAfter};
  return {label};
}

int time_unit_decimals(std::string_view unit) {
  struct Name {
    std::string_view name;
    int decimals;
  };
  static constexpr Name kNames[] = {
      {"seconds", 0},      {"second", 0}, {"s", 0},
      {"milliseconds", 3}, {"ms", 3},     {"millisecond", 3},
      {"microseconds", 6}, {"us", 6},     {"microsecond", 6},
      {"nanoseconds", 9},  {"ns", 9},     {"nanosecond", 9},
  };
  for (const auto& [name, decimals] : kNames)
    if (unit == name) return decimals;
  return -1;
}

}  // namespace wick

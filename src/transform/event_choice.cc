// SPDX-License-Identifier: Apache-2.0
#include "transform/event_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "profile/keep_samples.h"

namespace wick {

std::string_view event_group(std::string_view name) {
  // "cpu_core/cycles/u" is "cycles" on one kind of core.
  if (const std::size_t slash = name.find('/');
      slash != name.npos && name.starts_with("cpu")) {
    const std::size_t end = name.find('/', slash + 1);
    if (end != name.npos) return name.substr(slash + 1, end - slash - 1);
  }
  // "cycles:upp" is "cycles" in one mode; "sched:sched_switch" is a
  // tracepoint, whose second part is a name.
  const std::size_t colon = name.rfind(':');
  constexpr std::string_view kModifiers = "ukhGHIpPSDWe";
  if (colon != name.npos && colon > 0 &&
      std::ranges::all_of(name.substr(colon + 1), [&](char c) {
        return kModifiers.find(c) != kModifiers.npos;
      }))
    return name.substr(0, colon);
  return name;
}

namespace {

// Where an event counts; nothing is everywhere.
struct CountedPlace {
  std::string_view cores;  // "cpu_atom"
  std::string modes;       // of "ukh"
  std::string machines;    // of "GH": guest and host
};

CountedPlace place_of(std::string_view name) {
  const std::string_view group = event_group(name);
  CountedPlace place;
  std::string_view modifiers;
  if (name.starts_with(group)) {
    modifiers = name.substr(group.size());
  } else {
    place.cores = name.substr(0, name.find('/'));
    modifiers = name.substr(name.rfind('/') + 1);
  }
  for (const char c : modifiers) {
    if (std::string_view("ukh").find(c) != std::string_view::npos)
      place.modes += c;
    if (std::string_view("GH").find(c) != std::string_view::npos)
      place.machines += c;
  }
  return place;
}

bool have_common(std::string_view a, std::string_view b) {
  return a.empty() || b.empty() || a.find_first_of(b) != a.npos;
}

bool overlap(const CountedPlace& a, const CountedPlace& b) {
  return (a.cores.empty() || b.cores.empty() || a.cores == b.cores) &&
         have_common(a.modes, b.modes) && have_common(a.machines, b.machines);
}

}  // namespace

Column<EventId, std::string_view> event_groups(const Profile& profile) {
  Column<EventId, std::string_view> groups(profile.events.size());
  const auto name = [&](EventId id) {
    return profile.strings[profile.events[id].name];
  };
  const auto join = [&](EventId id) {
    const Event& event = profile.events[id];
    const std::string_view group = event_group(name(id));
    const bool is_apart =
        !profile.has_loose_event_names &&
        std::ranges::any_of(profile.events.ids(), [&](EventId other) {
          const Event& member = profile.events[other];
          return groups[other] == group && name(other) != name(id) &&
                 member.unit == event.unit && member.role == event.role &&
                 overlap(place_of(name(other)), place_of(name(id)));
        });
    groups[id] = is_apart ? name(id) : group;
  };
  for (const EventId id : profile.events.ids())
    if (name(id) == event_group(name(id))) join(id);
  for (const EventId id : profile.events.ids())
    if (groups[id].empty()) join(id);
  return groups;
}

std::string_view period_unit(std::string_view event_name) {
  const std::string_view group = event_group(event_name);
  if (group == "cpu-clock" || group == "task-clock") return "nanoseconds";
  if (group == "cycles" || group == "cpu-cycles") return "cycles";
  if (group == "instructions") return "instructions";
  return "events";
}

namespace {

using EventSet = Column<EventId, bool>;

std::string_view name_of(const Profile& profile, EventId id) {
  return profile.strings[profile.events[id].name];
}

// The events that have samples; an input may declare others.
EventSet sampled_events(const Profile& profile) {
  EventSet sampled(profile.events.size());
  for (const Sample& sample : profile.samples) sampled[sample.event] = true;
  return sampled;
}

EventSet events_like_the_first(const Profile& profile,
                               const EventSet& sampled) {
  EventId first{0};
  for (const EventId id : profile.events.ids())
    if (sampled[id] && !sampled[first]) first = id;
  // What only slept was recorded to see where.
  if (first != EventId{0})
    for (const EventId id : profile.events.ids())
      if (sampled[id] && profile.events[id].time == TimeKind::kOffCpu)
        first = id;
  const auto groups = event_groups(profile);
  EventSet chosen(profile.events.size());
  for (const EventId id : profile.events.ids())
    chosen[id] = groups[id] == groups[first] &&
                 profile.events[id].unit == profile.events[first].unit;
  return chosen;
}

// "cycles, faults": the events of the set.
std::string names_of(const Profile& profile, const EventSet& events) {
  std::string names;
  for (const EventId id : profile.events.ids())
    if (events[id])
      names += (names.empty() ? "" : ", ") + excerpt(name_of(profile, id));
  return names;
}

EventSet events_named(const Profile& profile, const EventSet& sampled,
                      std::string_view wanted) {
  const auto groups = event_groups(profile);
  EventSet chosen(profile.events.size());
  for (const EventId id : profile.events.ids())
    chosen[id] = name_of(profile, id) == wanted || groups[id] == wanted;
  if (std::ranges::find(chosen, true) == chosen.end())
    fail("there is no event '{}'; the input has {}", excerpt(wanted),
         names_of(profile, profile.samples.empty()
                               ? EventSet(profile.events.size(), true)
                               : sampled));
  const bool is_sampled = std::ranges::any_of(
      profile.events.ids(),
      [&](EventId id) { return chosen[id] && sampled[id]; });
  if (!is_sampled && !profile.samples.empty())
    fail("the event '{}' has no samples; there are samples of {}",
         excerpt(wanted), names_of(profile, sampled));
  return chosen;
}

// "kept: cycles; left out: faults, migrations".
std::string choice_text(const Profile& profile, const EventSet& chosen,
                        const EventSet& sampled) {
  constexpr int kMostNames = 8;
  std::string kept, others;
  int left_out = 0;
  for (const EventId id : profile.events.ids()) {
    const std::string name = excerpt(name_of(profile, id));
    if (chosen[id])
      kept += (kept.empty() ? "" : " and ") + name;
    else if (sampled[id] && ++left_out <= kMostNames)
      others += (others.empty() ? "" : ", ") + name;
  }
  if (left_out > kMostNames)
    others += fmt::format(" and {} more", left_out - kMostNames);
  return fmt::format("kept: {}; left out: {}", kept, others);
}

// Drops events without samples, except those of a difference.
void drop_unused_events(Profile& profile) {
  const EventSet used = sampled_events(profile);
  Column<EventId, Event> kept;
  Column<EventId, EventId> moved(profile.events.size());
  for (const EventId id : profile.events.ids())
    if (used[id] || profile.events[id].role != EventRole::kPlain)
      moved[id] = kept.push_back(profile.events[id]);
  for (Sample& sample : profile.samples) sample.event = moved[sample.event];
  profile.events = std::move(kept);
}

// Calls and instructions are counted over the whole trace: those samples have
// no times of their own.
bool is_counted_over_all(const Profile& profile, const Event& event) {
  const std::string_view unit = profile.strings[event.unit];
  return unit == "calls" || unit == "instructions";
}

}  // namespace

Column<EventId, bool> chosen_events(const Profile& profile,
                                    std::string_view wanted) {
  if (wanted == "*") return EventSet(profile.events.size(), true);
  const EventSet sampled = sampled_events(profile);
  return wanted.empty() ? events_like_the_first(profile, sampled)
                        : events_named(profile, sampled, wanted);
}

void select_event(Profile& profile, std::string_view wanted) {
  if (wanted == "*" || profile.events.empty() || is_difference(profile)) return;
  if (wanted.empty() && profile.events.size() == 1) return;
  const EventSet sampled = sampled_events(profile);
  const EventSet chosen = chosen_events(profile, wanted);
  const bool had_clock = clock_of_trace(profile).has_value();
  const std::uint64_t unread = profile.diagnostics.count(Problem::kOtherEvent);
  keep_samples(profile, Problem::kOtherEvent,
               [&](const Sample& s) { return chosen[s.event]; });
  // The events of a trace count one run, and users who name an event know that
  // there are others: nothing is missing.
  if (profile.is_trace || !wanted.empty())
    profile.diagnostics.keep_at_most(Problem::kOtherEvent, unread);
  else if (profile.diagnostics.count(Problem::kOtherEvent) > 0)
    profile.diagnostics.add({.problem = Problem::kOtherEvent,
                             .example = choice_text(profile, chosen, sampled)});
  drop_unused_events(profile);
  if (had_clock && !clock_of_trace(profile) &&
      std::ranges::all_of(profile.events, [&](const Event& event) {
        return is_counted_over_all(profile, event);
      }))
    forget_times(profile);
}

}  // namespace wick

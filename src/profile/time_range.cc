// SPDX-License-Identifier: Apache-2.0
#include "profile/time_range.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "profile/keep_samples.h"

namespace wick {

TimeRange parse_time_range(std::string_view text) {
  TimeRange range;
  std::string_view rest = text;
  if (rest.starts_with('@')) {
    range.absolute = true;
    rest.remove_prefix(1);
  }
  const std::size_t dots = rest.find("..");
  if (dots == rest.npos)
    fail_setting(Setting::kTime,
                 "expected FROM..TO in seconds, as in 1.5..2, not '{}'", text);
  const auto seconds = [](std::string_view piece, double missing) {
    if (piece.empty()) return missing;
    const auto number = to_double(piece);
    if (!number || !std::isfinite(*number))
      fail_setting(Setting::kTime, "'{}' is not a number of seconds", piece);
    return *number;
  };
  range.from = seconds(rest.substr(0, dots), range.absolute ? 0 : -1e300);
  range.to = seconds(rest.substr(dots + 2), 1e300);
  if (range.from > range.to)
    fail_setting(Setting::kTime, "the end is before the start in '{}'", text);
  return range;
}

namespace {

struct Nanoseconds {
  std::uint64_t from, to;
};

Nanoseconds clock_range(const TimeRange& range, std::uint64_t first) {
  const std::uint64_t origin = range.absolute ? 0 : first;
  const auto at = [&](double seconds) {
    constexpr double kLatest = 9e9;
    if (seconds >= kLatest) return UINT64_MAX;
    const auto ns =
        static_cast<std::uint64_t>(std::llround(std::max(seconds, 0.0) * 1e9));
    return origin + std::min(ns, UINT64_MAX - origin);
  };
  return {at(range.from), at(range.to)};
}

// Whether the samples of an event begin at their time and last as many
// nanoseconds as they weigh.
bool is_lasting(const Profile& profile, EventId id) {
  const Event& event = profile.events[id];
  return event.time == TimeKind::kTraceClock ||
         (event.time == TimeKind::kOffCpu && event.decimals == 0 &&
          nanoseconds_in(profile.strings[event.unit]) == 1);
}

}  // namespace

std::uint64_t first_time(const Profile& profile) {
  const auto clock = clock_of_trace(profile);
  for (const Sample& s : profile.samples)
    if (!clock || s.event == *clock) return s.time;
  return 0;
}

void cut_to_time(Profile& profile, EventId event, const TimeRange& time,
                 std::uint64_t first) {
  const Nanoseconds range = clock_range(time, first);
  std::int64_t cut = 0;
  for (Sample& s : profile.samples) {
    if (s.event != event || s.weight <= 0) continue;
    const auto lasts = static_cast<std::uint64_t>(s.weight);
    const std::uint64_t begin = std::max(s.time, range.from);
    const std::uint64_t end =
        std::min(s.time + std::min(lasts, UINT64_MAX - s.time), range.to);
    if (begin >= end) continue;
    const auto left = static_cast<std::int64_t>(end - begin);
    cut = saturating_add(cut, s.weight - left);
    s.time = begin;
    s.weight = left;
  }
  // Where samples are counted, none is left out here.
  const Problem problem = not_selected(profile, event);
  if (problem != Problem::kNotSelected)
    profile.diagnostics.note(problem, static_cast<std::uint64_t>(cut), cut);
}

void select_time(Profile& profile, const TimeRange& range,
                 std::uint64_t first) {
  if (!profile.has_time)
    throw Error(profile.is_trace
                    ? "of a trace's events, only its clock has times"
                    : "this input has no times",
                {.wrong = Setting::kTime, .helps = {}});
  const Nanoseconds ns = clock_range(range, first);
  for (const EventId id : profile.events.ids())
    if (is_lasting(profile, id)) cut_to_time(profile, id, range, first);
  keep_samples(profile, Problem::kNotSelected, [&](const Sample& s) {
    return s.time >= ns.from && s.time < ns.to;
  });
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "transform/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/append.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/regex.h"
#include "base/text.h"
#include "profile/fold.h"
#include "profile/time_range.h"
#include "transform/empty_selection.h"
#include "transform/event_choice.h"
#include "transform/hidden_languages.h"
#include "transform/transform.h"

namespace wick {
namespace {

// Processes of a trace that run the same program are "hard", "hard #2" …
bool is_numbered(std::string_view name, std::string_view program) {
  if (!name.starts_with(program)) return false;
  name.remove_prefix(program.size());
  return name.starts_with(" #") && to_number<std::uint32_t>(name.substr(2));
}

void select_threads(Profile& profile, const Selection& selection) {
  if (!selection.pid && !selection.tid && selection.comm.empty()) return;
  const auto has_name = [&](std::string_view name) {
    return name == selection.comm ||
           (profile.is_trace && is_numbered(name, selection.comm));
  };
  const auto is_wanted = [&](const Sample& s) {
    const Thread& thread = profile.threads[s.thread];
    return (!selection.pid || thread.pid == *selection.pid) &&
           (!selection.tid || thread.tid == *selection.tid) &&
           (selection.comm.empty() || has_name(profile.strings[thread.comm]));
  };
  keep_some(profile, is_wanted,
            [&] { return why_no_thread(profile, selection); });
}

Column<FrameId, bool> matching_frames(
    const Profile& profile, const std::vector<std::string>& patterns) {
  std::vector<Regex> regexes(patterns.begin(), patterns.end());
  Column<FrameId, bool> matches(profile.frames.size());
  for (const FrameId id : profile.frames.ids()) {
    const std::string name = frame_name(profile, profile.frames[id], {});
    matches[id] = std::ranges::any_of(
        regexes, [&](const Regex& regex) { return regex.found_in(name); });
  }
  return matches;
}

// For each stack, whether it has a marked frame.
Column<StackId, bool> stacks_with(const Profile& profile,
                                  const Column<FrameId, bool>& marked) {
  Column<StackId, bool> has(profile.stacks.size());
  for (const StackId id : profile.stacks.ids())
    if (id != StackId::kRoot)
      has[id] =
          has[profile.stacks.parent(id)] || marked[profile.stacks.frame(id)];
  return has;
}

Column<FrameId, bool> frames_named(const Profile& profile,
                                   const std::vector<std::string>& names) {
  Column<FrameId, bool> marked(profile.frames.size());
  const auto is_wanted = [&](std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  // Code without a name is called by its module, "[gzip]".
  for (const FrameId id : profile.frames.ids())
    marked[id] = is_wanted(profile.function(id)) ||
                 is_wanted(frame_name(profile, profile.frames[id], {}));
  return marked;
}

// As stacks_with(), but a mark on the outermost or innermost frame does not
// count.
Column<StackId, bool> stacks_with_inside(const Profile& profile,
                                         const Column<FrameId, bool>& marked) {
  const StackTable& stacks = profile.stacks;
  Column<StackId, bool> below(stacks.size()), has(stacks.size());
  for (const StackId id : stacks.ids()) {
    if (id == StackId::kRoot) continue;
    const StackId caller = stacks.parent(id);
    has[id] = below[caller];
    below[id] =
        below[caller] || (marked[stacks.frame(id)] && caller != StackId::kRoot);
  }
  return has;
}

// Cuts the callers of the innermost marked frame, which becomes the root, in
// the stacks of `has`. Those samples lose their thread, whose name was the root
// before. `skip_leaf`: a mark on the innermost frame does not count.
Profile cut_callers(Profile profile, const Column<FrameId, bool>& marked,
                    const Column<StackId, bool>& has, bool skip_leaf) {
  for (Sample& sample : profile.samples)
    if (has[sample.stack]) sample.thread = ThreadId::kUnknown;
  return move_stacks(
      std::move(profile),
      {.push = [](StackTable& to, StackId caller,
                  FrameId frame) { return to.push(caller, frame); },
       .begins_at = [&](FrameId frame) { return marked[frame]; },
       .skips_leaf = skip_leaf});
}

void keep_stacks(Profile& profile, const Column<StackId, bool>& wanted,
                 std::string_view with) {
  keep_some(
      profile, [&](const Sample& sample) { return wanted[sample.stack]; },
      [&] { return why_no_function(profile, with); });
}

void select_focus(Profile& profile, const std::vector<std::string>& patterns) {
  keep_stacks(profile, stacks_with(profile, matching_frames(profile, patterns)),
              fmt::format("a function that matches '{}'",
                          excerpt(joined(patterns, "' or '"), 200)));
}

// The event of the profile that stands for this time.
std::optional<EventId> event_of(const Profile& profile, TimeKind time) {
  for (const EventId id : profile.events.ids())
    if (profile.events[id].time == time) return id;
  return std::nullopt;
}

// Wall time on the CPU is a share of a thread's life and has no place in time.
// A range of it consists of what it was computed from: the samples taken on the
// CPU and the time off it.
void place_wall_time(Profile& profile, const Selection& selection,
                     std::uint64_t first) {
  const auto wall = event_of(profile, TimeKind::kWall);
  const auto on = event_of(profile, TimeKind::kOnCpu);
  const auto off = event_of(profile, TimeKind::kOffCpu);
  if (!wall || !on || !off) return;
  const auto is_in_ns = [&](EventId id) {
    const Event& event = profile.events[id];
    return event.decimals == 0 &&
           nanoseconds_in(profile.strings[event.unit]) == 1;
  };
  const bool can_add = is_in_ns(*wall) && is_in_ns(*on) && is_in_ns(*off);
  const auto name = [&](EventId id) {
    return profile.strings[profile.events[id].name];
  };
  if (!can_add && selection.event == name(*wall))
    throw Error(fmt::format("{} and time off the CPU cannot be added up in a "
                            "range of time",
                            name(*on)),
                {.wrong = Setting::kTime, .helps = {Setting::kEvent}});
  if (can_add) cut_to_time(profile, *off, *selection.time, first);
  std::vector<Sample> placed;
  for (Sample sample : profile.samples) {
    if (sample.event != *wall) placed.push_back(sample);
    if (!can_add || (sample.event != *on && sample.event != *off)) continue;
    sample.event = *wall;
    placed.push_back(sample);
  }
  profile.samples = std::move(placed);
}

void select_some_time(Profile& profile, const TimeRange& range,
                      std::uint64_t first) {
  const bool had_samples = profile.has_time && !profile.samples.empty();
  const std::string why = had_samples ? why_no_time(profile, first) : "";
  select_time(profile, range, first);
  if (had_samples && profile.samples.empty()) fail("{}", why);
}

// Leaves kernel frames or all others, and no sample without a frame.
void drop_stackless(Profile& profile, const Selection& s) {
  keep_some(
      profile, [](const Sample& x) { return x.stack != StackId::kRoot; },
      [&]() -> std::string {
        return s.kernel_only ? "no stack has a kernel frame"
                             : "no stack has a frame outside the kernel";
      });
}

// Frames that become roots, and the stacks that have one.
struct Roots {
  Column<FrameId, bool> frames;
  Column<StackId, bool> stacks;
};

std::string the_function(const std::vector<std::string>& names) {
  return fmt::format("the function '{}'",
                     excerpt(joined(names, "' or '"), 200));
}

Roots select_base(Profile& profile, const Selection& s) {
  Roots base{.frames = frames_named(profile, s.base)};
  base.stacks = s.base_inside ? stacks_with_inside(profile, base.frames)
                              : stacks_with(profile, base.frames);
  keep_stacks(profile, base.stacks, the_function(s.base));
  return base;
}

// A function that is in no stack is misspelled.
Profile skip_callers(Profile profile, const std::vector<std::string>& roots) {
  const auto marked = frames_named(profile, roots);
  const auto has = stacks_with(profile, marked);
  if (!profile.samples.empty() &&
      std::ranges::none_of(profile.samples,
                           [&](const Sample& s) { return has[s.stack]; }))
    fail("{}", why_no_function(profile, the_function(roots)));
  return cut_callers(std::move(profile), marked, has, false);
}

Profile hide_frames(Profile profile, const Selection& s) {
  Column<FrameId, bool> hidden = matching_frames(profile, s.hide);
  for (const FrameId id : profile.frames.ids()) {
    const bool kernel = profile.frames[id].kind == FrameKind::kKernel;
    if ((s.kernel_only && !kernel) || (s.user_only && kernel))
      hidden[id] = true;
  }
  return move_stacks(
      std::move(profile),
      {.push = [&](StackTable& to, StackId caller, FrameId frame) {
        return hidden[frame] ? caller : to.push(caller, frame);
      }});
}

Profile merge_recursion(Profile profile) {
  // Of each frame; functions without a name are equal if their module and, as
  // far as it is known, their beginning are.
  Column<FrameId, std::tuple<StringId, ModuleId, std::uint64_t>> functions;
  for (const FrameId id : profile.frames.ids()) {
    const Frame& frame = profile.frames[id];
    functions.push_back(
        {frame.function,
         frame.function == StringId::kEmpty ? frame.module : ModuleId::kUnknown,
         frame.function_start});
  }
  return move_stacks(
      std::move(profile),
      {.push = [&](StackTable& to, StackId caller, FrameId frame) {
        const bool recurs = caller != StackId::kRoot &&
                            functions[to.frame(caller)] == functions[frame];
        return recurs ? caller : to.push(caller, frame);
      }});
}

}  // namespace

Profile select(Profile profile, const Selection& s) {
  const Timer timer("select");
  const std::uint64_t first = first_time(profile);
  const HiddenLanguageNotes languages(profile);
  if (s.time) place_wall_time(profile, s, first);
  select_event(profile, s.event);
  select_threads(profile, s);
  if (s.time) select_some_time(profile, *s.time, first);
  if (!s.focus.empty()) select_focus(profile, s.focus);
  Roots base;
  if (!s.base.empty()) base = select_base(profile, s);
  languages.recount(profile);
  if (!s.base.empty())
    profile = cut_callers(std::move(profile), base.frames, base.stacks,
                          s.base_inside);
  if (!s.skip_after.empty())
    profile = skip_callers(std::move(profile), s.skip_after);
  if (s.kernel_only || s.user_only || !s.hide.empty())
    profile = hide_frames(std::move(profile), s);
  if (s.kernel_only || s.user_only) drop_stackless(profile, s);
  if (s.merge_recursion) profile = merge_recursion(std::move(profile));
  check_not_empty(profile);
  return profile;
}

}  // namespace wick

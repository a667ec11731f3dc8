// SPDX-License-Identifier: Apache-2.0
#include "profile/transform.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/metrics.h"
#include "base/regex.h"
#include "base/text.h"
#include "profile/fold.h"

namespace wick {

Profile replace_frames(Profile profile, const ExpandFrame& expand) {
  const Timer timer("replace frames");
  const FrameTable old_frames = std::exchange(profile.frames, {});
  Column<FrameId, std::pair<std::uint32_t, std::uint32_t>> range;
  std::vector<FrameId> expanded;
  std::vector<Frame> out;
  for (const FrameId id : old_frames.ids()) {
    out.clear();
    expand(profile, old_frames[id], out);
    const auto first = static_cast<std::uint32_t>(expanded.size());
    for (const Frame& frame : out)
      expanded.push_back(profile.frames.intern(frame));
    range.push_back({first, static_cast<std::uint32_t>(expanded.size())});
  }
  const StackTable old_stacks = std::exchange(profile.stacks, {});
  Column<StackId, StackId> moved(old_stacks.size());
  for (const StackId id : old_stacks.ids()) {
    if (id == StackId::kRoot) continue;
    StackId to = moved[old_stacks.parent(id)];
    const auto [first, last] = range[old_stacks.frame(id)];
    for (std::uint32_t i = first; i < last; ++i)
      to = profile.stacks.push(to, expanded[i]);
    moved[id] = to;
  }
  for (Sample& sample : profile.samples) sample.stack = moved[sample.stack];
  return profile;
}

Profile rewrite_stacks(Profile profile, const RewriteStack& rewrite) {
  const Timer timer("rewrite stacks");
  Column<StackId, bool> used(profile.stacks.size());
  for (const Sample& sample : profile.samples) used[sample.stack] = true;
  StackTable stacks;
  Column<StackId, StackId> moved(profile.stacks.size());
  std::vector<FrameId> frames;
  for (const StackId id : profile.stacks.ids()) {
    if (!used[id]) continue;
    profile.stacks.frames_of(id, frames);
    rewrite(profile, frames);
    StackId to = StackId::kRoot;
    for (const FrameId frame : frames) to = stacks.push(to, frame);
    moved[id] = to;
  }
  profile.stacks = std::move(stacks);
  for (Sample& sample : profile.samples) sample.stack = moved[sample.stack];
  return profile;
}

namespace {

// Gives the strings of one profile their ids in another, on demand.
class StringMover {
 public:
  StringMover(const StringTable& from, StringTable& to)
      : from_(from), to_(to), moved_(from.size(), kUnset) {}
  StringId operator()(StringId id) {
    StringId& moved = moved_[index(id)];
    if (moved == kUnset) moved = to_.intern(from_[id]);
    return moved;
  }

 private:
  static constexpr StringId kUnset{0xffffffff};
  const StringTable& from_;
  StringTable& to_;
  std::vector<StringId> moved_;
};

// The stacks that each stack calls, as ranges of one list.
class Callees {
 public:
  explicit Callees(const StackTable& stacks)
      : first_(stacks.size() + 1), ids_(stacks.size() - 1) {
    for (const StackId id : stacks.ids())
      if (id != StackId::kRoot) ++first_[index(stacks.parent(id)) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<std::uint32_t> next = first_;
    for (const StackId id : stacks.ids())
      if (id != StackId::kRoot) ids_[next[index(stacks.parent(id))]++] = id;
  }
  // None for a stack that was not there yet.
  std::span<const StackId> of(StackId id) const {
    if (index(id) + std::size_t{1} >= first_.size()) return {};
    const std::uint32_t from = first_[index(id)];
    return std::span(ids_).subspan(from, first_[index(id) + 1] - from);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<StackId> ids_;
};

// Adds the stacks of `other`, whose frames became `frame`, and gives their new
// ids. Both tables are walked once, caller by caller: to look up two tables of
// millions of stacks by hash costs three times as much.
Column<StackId, StackId> merge_stack_tables(
    StackTable& into, const StackTable& other,
    const Column<FrameId, FrameId>& frame, std::size_t frame_count) {
  Column<StackId, StackId> moved(other.size());
  // To walk a large table for a small one is the dearer way.
  if (other.size() < into.size() / 8) {
    for (const StackId id : other.ids())
      if (id != StackId::kRoot)
        moved[id] = into.push(moved[other.parent(id)], frame[other.frame(id)]);
    return moved;
  }
  const Callees mine(into), theirs(other);
  constexpr StackId kNone{0xffffffff};
  Column<FrameId, StackId> called(frame_count, kNone);  // by one caller
  for (const StackId caller : other.ids()) {
    const StackId to = moved[caller];
    if (theirs.of(caller).empty()) continue;
    for (const StackId id : mine.of(to)) called[into.frame(id)] = id;
    for (const StackId id : theirs.of(caller)) {
      StackId& known = called[frame[other.frame(id)]];
      if (known == kNone) known = into.append(to, frame[other.frame(id)]);
      moved[id] = known;
    }
    for (const StackId id : mine.of(to)) called[into.frame(id)] = kNone;
    for (const StackId id : theirs.of(caller))
      called[frame[other.frame(id)]] = kNone;
  }
  return moved;
}

Column<StackId, StackId> merge_stacks(Profile& into, const Profile& other,
                                      StringMover& moved_string) {
  Column<ModuleId, ModuleId> module;
  for (const Module& m : other.modules) {
    module.push_back(
        into.module_id(other.strings[m.path], other.strings[m.build_id]));
    if (m.no_names == StringId::kEmpty) continue;
    Module& merged = into.modules[*(module.end() - 1)];
    merged.no_names = moved_string(m.no_names);
    merged.no_names_helps = m.no_names_helps;
  }
  Column<FrameId, FrameId> frame;
  for (const FrameId id : other.frames.ids()) {
    Frame f = other.frames[id];
    f.function = moved_string(f.function);
    f.file = moved_string(f.file);
    f.module = module[f.module];
    frame.push_back(into.frames.intern(f));
  }
  return merge_stack_tables(into.stacks, other.stacks, frame,
                            into.frames.size());
}

Column<ThreadId, ThreadId> merge_threads(Profile& into, const Profile& other,
                                         StringMover& moved_string) {
  const auto hash = [](const Thread& t) {
    return hash_pair(static_cast<std::uint32_t>(t.pid) |
                         std::uint64_t{static_cast<std::uint32_t>(t.tid)} << 32,
                     index(t.comm));
  };
  HashIndex seen;
  for (const ThreadId id : into.threads.ids())
    seen.find_or_add(
        hash(into.threads[id]), [](std::uint32_t) { return false; },
        [&] { return index(id); });
  Column<ThreadId, ThreadId> thread;
  for (Thread t : other.threads) {
    t.comm = moved_string(t.comm);
    thread.push_back(ThreadId{seen.find_or_add(
        hash(t),
        [&](std::uint32_t row) { return into.threads[ThreadId{row}] == t; },
        [&] { return index(into.threads.push_back(t)); })});
  }
  return thread;
}

// Makes the decimals of equal events equal in both, so that weights can be
// added. Returns the factor for the weights of `other`.
Column<EventId, std::int64_t> merge_events(Profile& into, const Profile& other,
                                           Column<EventId, EventId>& event) {
  Column<EventId, std::int64_t> factor;
  for (const Event& e : other.events) {
    const EventId id =
        into.event_id(other.strings[e.name], other.strings[e.unit], e.role);
    raise_decimals(into, id, e.decimals);
    event.push_back(id);
    factor.push_back(power_of_ten(into.events[id].decimals - e.decimals));
  }
  return factor;
}

}  // namespace

void merge(Profile& into, const Profile& other) {
  const Timer timer("merge");
  StringMover moved_string(other.strings, into.strings);
  const auto stack = merge_stacks(into, other, moved_string);
  const auto thread = merge_threads(into, other, moved_string);
  Column<EventId, EventId> event;
  const auto factor = merge_events(into, other, event);
  const bool had_samples = !into.samples.empty();
  if (!other.sample_counts.empty()) {
    into.sample_counts.resize(into.samples.size(), 1);
    into.sample_counts.insert(into.sample_counts.end(),
                              other.sample_counts.begin(),
                              other.sample_counts.end());
  }
  into.samples.reserve(into.samples.size() + other.samples.size());
  for (Sample s : other.samples) {
    s.weight = saturating_mul(s.weight, factor[s.event]);
    s.stack = stack[s.stack];
    s.thread = thread[s.thread];
    s.event = event[s.event];
    into.samples.push_back(s);
  }
  for (const About& about : other.about)
    into.set_about(other.strings[about.key], other.strings[about.value]);
  into.diagnostics.merge(other.diagnostics);
  into.has_time = other.has_time && (into.has_time || !had_samples);
  if (!into.has_time) forget_times(into);
  sort_samples(into);
}

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

Selection::TimeRange parse_time_range(std::string_view text) {
  Selection::TimeRange range;
  std::string_view rest = text;
  if (rest.starts_with('@')) {
    range.absolute = true;
    rest.remove_prefix(1);
  }
  const std::size_t dots = rest.find("..");
  const auto part = [&](std::string_view piece, double missing) {
    if (piece.empty()) return missing;
    const auto number = to_double(piece);
    if (!number || !std::isfinite(*number))
      fail_usage("--time {}: '{}' is not a number of seconds", text, piece);
    return *number;
  };
  if (dots == rest.npos)
    fail_usage("--time {}: FROM..TO is wanted, in seconds, as in 1.5..2", text);
  range.from = part(rest.substr(0, dots), range.absolute ? 0 : -1e300);
  range.to = part(rest.substr(dots + 2), 1e300);
  if (range.from > range.to)
    fail_usage("--time {}: the end is before the start", text);
  return range;
}

namespace {

// Why samples of each event are left out. Of a trace, weight is what is
// counted.
Column<EventId, Problem> reasons_by_event(const Profile& profile,
                                          Problem reason) {
  Column<EventId, Problem> reasons(profile.events.size(), reason);
  if (!is_trace(profile) || reason != Problem::kNotSelected) return reasons;
  for (const EventId id : profile.events.ids()) {
    const std::string_view unit = profile.strings[profile.events[id].unit];
    if (unit == "instructions") reasons[id] = Problem::kCutInstructions;
    if (unit == "cycles") reasons[id] = Problem::kCutCycles;
    if (unit == "calls") reasons[id] = Problem::kCutCalls;
  }
  return reasons;
}

void keep_samples(Profile& profile, Problem reason,
                  const std::function<bool(const Sample&)>& wanted) {
  const Column<EventId, Problem> reasons = reasons_by_event(profile, reason);
  std::vector<Sample>& samples = profile.samples;
  std::vector<std::uint32_t>& counts = profile.sample_counts;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (wanted(samples[i])) {
      if (kept < counts.size())
        counts[kept] = i < counts.size() ? counts[i] : 1;
      samples[kept++] = samples[i];
    } else {
      const Problem why = reasons[samples[i].event];
      const std::int64_t weight = samples[i].weight;
      // Weights of other events are in other units and no share of anything.
      profile.diagnostics.note(why,
                               why == reason
                                   ? samples_in_row(profile, i)
                                   : static_cast<std::uint64_t>(weight),
                               reason == Problem::kOtherEvent ? 0 : weight);
    }
  }
  const bool all = kept == samples.size();
  samples.resize(kept);
  if (counts.size() > kept) counts.resize(kept);
  if (all || profile.diagnostics.count(Problem::kNoStack) == 0) return;
  std::uint64_t without_stack = 0;
  for (std::size_t i = 0; i < kept; ++i)
    if (samples[i].stack == StackId::kRoot)
      without_stack += samples_in_row(profile, i);
  profile.diagnostics.keep_at_most(Problem::kNoStack, without_stack);
}

// Drops the events that no sample refers to any more, except those of a
// difference.
void drop_unused_events(Profile& profile) {
  Column<EventId, bool> used(profile.events.size());
  for (const Sample& sample : profile.samples) used[sample.event] = true;
  Column<EventId, Event> kept;
  Column<EventId, EventId> moved(profile.events.size());
  for (const EventId id : profile.events.ids())
    if (used[id] || profile.events[id].role != EventRole::kPlain)
      moved[id] = kept.push_back(profile.events[id]);
  for (Sample& sample : profile.samples) sample.event = moved[sample.event];
  profile.events = std::move(kept);
}

// "cycles is kept; --event picks another: faults, migrations".
std::string other_events(const Profile& profile,
                         const Column<EventId, bool>& chosen,
                         const Column<EventId, bool>& met) {
  constexpr int kMostNames = 8;
  std::string kept, others;
  int left_out = 0;
  for (const EventId id : profile.events.ids()) {
    const std::string name = excerpt(profile.strings[profile.events[id].name]);
    if (chosen[id])
      kept += (kept.empty() ? "" : " and ") + name;
    else if (met[id] && ++left_out <= kMostNames)
      others += (others.empty() ? "" : ", ") + name;
  }
  if (left_out > kMostNames)
    others += fmt::format(" and {} more", left_out - kMostNames);
  return fmt::format("{} is kept; --event picks another: {}", kept, others);
}

void select_event(Profile& profile, const std::string& wanted) {
  if (wanted == "*" || profile.events.size() < 2) {
    if (wanted.empty() || wanted == "*" || profile.events.empty()) return;
  }
  for (const Event& event : profile.events)
    if (event.role != EventRole::kPlain) return;
  const auto name = [&](EventId id) {
    return profile.strings[profile.events[id].name];
  };
  Column<EventId, bool> chosen(profile.events.size());
  bool any = false;
  // Events may be named and never met.
  Column<EventId, bool> met(profile.events.size());
  for (const Sample& sample : profile.samples) met[sample.event] = true;
  EventId first_id{0};
  for (const EventId id : profile.events.ids())
    if (met[id] && !met[first_id]) first_id = id;
  const Event& first = profile.events[first_id];
  for (const EventId id : profile.events.ids()) {
    const Event& event = profile.events[id];
    chosen[id] = wanted.empty()
                     ? event_group(name(id)) == event_group(name(first_id)) &&
                           event.unit == first.unit
                     : name(id) == wanted || event_group(name(id)) == wanted;
    any = any || chosen[id];
  }
  if (!any) {
    std::string names;
    for (const EventId id : profile.events.ids())
      names += (names.empty() ? "" : ", ") + excerpt(name(id));
    fail("there is no event '{}'; there is {}", wanted, names);
  }
  const bool had_clock = clock_of_trace(profile).has_value();
  keep_samples(profile, Problem::kOtherEvent,
               [&](const Sample& s) { return chosen[s.event]; });
  if (is_trace(profile))
    profile.diagnostics.keep_at_most(Problem::kOtherEvent, 0);
  if (profile.diagnostics.count(Problem::kOtherEvent) > 0)
    profile.diagnostics.add({.problem = Problem::kOtherEvent,
                             .example = other_events(profile, chosen, met)});
  drop_unused_events(profile);
  // What a trace counts beside its clock is counted over the whole of it.
  const auto is_counted = [&](const Event& event) {
    const std::string_view unit = profile.strings[event.unit];
    return unit == "calls" || unit == "instructions";
  };
  if (had_clock && !clock_of_trace(profile) &&
      std::ranges::all_of(profile.events, is_counted))
    forget_times(profile);
}

// Stretches of a trace that reach into the time become those parts of them.
void cut_stretches(Profile& profile, EventId clock, std::uint64_t from,
                   std::uint64_t to) {
  std::int64_t cut = 0;
  for (Sample& s : profile.samples) {
    if (s.event != clock || s.weight <= 0) continue;
    const auto lasts = static_cast<std::uint64_t>(s.weight);
    const std::uint64_t begin = std::max(s.time, from);
    const std::uint64_t end =
        std::min(s.time + std::min(lasts, UINT64_MAX - s.time), to);
    if (begin >= end) continue;
    cut =
        saturating_add(cut, s.weight - static_cast<std::int64_t>(end - begin));
    s.time = begin;
    s.weight = static_cast<std::int64_t>(end - begin);
  }
  profile.diagnostics.note(
      reasons_by_event(profile, Problem::kNotSelected)[clock],
      static_cast<std::uint64_t>(cut), cut);
}

void select_time(Profile& profile, const Selection::TimeRange& range) {
  if (!profile.has_time)
    fail("--time: {}",
         is_trace(profile)
             ? "there are no times; of a trace, what counts its time has them"
             : "this input has no times");
  const std::uint64_t origin = range.absolute || profile.samples.empty()
                                   ? 0
                                   : profile.samples.front().time;
  const auto at = [&](double seconds) {
    constexpr double kLatest = 9e9;
    if (seconds >= kLatest) return UINT64_MAX;
    const auto ns =
        static_cast<std::uint64_t>(std::llround(std::max(seconds, 0.0) * 1e9));
    return origin + std::min(ns, UINT64_MAX - origin);
  };
  const std::uint64_t from = at(range.from), to = at(range.to);
  if (const auto clock = clock_of_trace(profile))
    cut_stretches(profile, *clock, from, to);
  keep_samples(profile, Problem::kNotSelected,
               [&](const Sample& s) { return s.time >= from && s.time < to; });
}

void select_threads(Profile& profile, const Selection& selection) {
  if (!selection.pid && !selection.tid && selection.comm.empty()) return;
  keep_samples(profile, Problem::kNotSelected, [&](const Sample& s) {
    const Thread& thread = profile.threads[s.thread];
    return (!selection.pid || thread.pid == *selection.pid) &&
           (!selection.tid || thread.tid == *selection.tid) &&
           (selection.comm.empty() ||
            profile.strings[thread.comm] == selection.comm);
  });
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

// For each stack, whether a frame of it is among `marked`.
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
  for (const FrameId id : profile.frames.ids())
    marked[id] = std::ranges::find(names, profile.function(id)) != names.end();
  return marked;
}

// As stacks_with, but a mark on the outermost or on the last frame of a stack
// does not count.
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
// the stacks of `has`; the thread is forgotten for those samples, since its
// name was the root before. `skip_leaf`: a mark on the last frame does not
// count.
Profile cut_callers(Profile profile, const Column<FrameId, bool>& marked,
                    const Column<StackId, bool>& has, bool skip_leaf) {
  for (Sample& sample : profile.samples)
    if (has[sample.stack]) sample.thread = ThreadId::kUnknown;
  return rewrite_stacks(
      std::move(profile), [&](const Profile&, std::vector<FrameId>& frames) {
        for (std::size_t i = frames.size(); i-- > 0;) {
          if (!marked[frames[i]] || (skip_leaf && i + 1 == frames.size()))
            continue;
          frames.erase(frames.begin(),
                       frames.begin() + static_cast<std::ptrdiff_t>(i));
          return;
        }
      });
}

}  // namespace

Profile select(Profile profile, const Selection& s) {
  const Timer timer("select");
  select_event(profile, s.event);
  select_threads(profile, s);
  if (s.time) select_time(profile, *s.time);
  if (!s.focus.empty()) {
    const auto has = stacks_with(profile, matching_frames(profile, s.focus));
    keep_samples(profile, Problem::kNotSelected,
                 [&](const Sample& x) { return has[x.stack]; });
  }
  if (!s.base.empty()) {
    const auto marked = frames_named(profile, s.base);
    const auto has = s.base_inside ? stacks_with_inside(profile, marked)
                                   : stacks_with(profile, marked);
    keep_samples(profile, Problem::kNotSelected,
                 [&](const Sample& x) { return has[x.stack]; });
    profile = cut_callers(std::move(profile), marked, has, s.base_inside);
  }
  if (!s.skip_after.empty()) {
    const auto marked = frames_named(profile, s.skip_after);
    const auto has = stacks_with(profile, marked);
    profile = cut_callers(std::move(profile), marked, has, false);
  }
  if (s.kernel_only || s.user_only || !s.hide.empty()) {
    Column<FrameId, bool> hidden = matching_frames(profile, s.hide);
    for (const FrameId id : profile.frames.ids()) {
      const bool kernel = profile.frames[id].kind == FrameKind::kKernel;
      if ((s.kernel_only && !kernel) || (s.user_only && kernel))
        hidden[id] = true;
    }
    profile = rewrite_stacks(
        std::move(profile), [&](const Profile&, std::vector<FrameId>& frames) {
          std::erase_if(frames, [&](FrameId id) { return hidden[id]; });
        });
  }
  if (s.kernel_only || s.user_only)
    keep_samples(profile, Problem::kNotSelected,
                 [](const Sample& x) { return x.stack != StackId::kRoot; });
  if (s.merge_recursion)
    profile = rewrite_stacks(
        std::move(profile), [](const Profile& p, std::vector<FrameId>& frames) {
          // Functions without a name are equal if their module is.
          const auto same = [&](FrameId a, FrameId b) {
            const Frame &x = p.frames[a], &y = p.frames[b];
            return x.function == y.function &&
                   (x.function != StringId::kEmpty || x.module == y.module);
          };
          const auto rest = std::ranges::unique(frames, same);
          frames.erase(rest.begin(), rest.end());
        });
  return profile;
}

}  // namespace wick

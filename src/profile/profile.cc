// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/text.h"

namespace wick {
namespace {

std::uint64_t hash_of(const Module& m) {
  return hash_pair(index(m.path), index(m.build_id));
}
std::uint64_t hash_of(const Thread& t) {
  return hash_pair(static_cast<std::uint32_t>(t.pid) |
                       std::uint64_t{static_cast<std::uint32_t>(t.tid)} << 32,
                   index(t.comm));
}
std::uint64_t hash_of(const Event& e) {
  return hash_pair(index(e.name) | std::uint64_t{index(e.unit)} << 32,
                   static_cast<std::uint64_t>(e.role));
}

bool same(const Module& a, const Module& b) {
  return a.path == b.path && a.build_id == b.build_id;
}
bool same(const Thread& a, const Thread& b) { return a == b; }
bool same(const Event& a, const Event& b) {
  return a.name == b.name && a.unit == b.unit && a.role == b.role;
}

}  // namespace

template <Id I, class Row>
I Profile::find_or_add(Column<I, Row>& rows, RowIndex& index, const Row& row) {
  const auto look_up = [&](const Row& wanted, auto make) {
    return index.hashes.find_or_add(
        hash_of(wanted),
        [&](std::uint32_t at) { return same(rows[I{at}], wanted); }, make);
  };
  for (; index.indexed < rows.size(); ++index.indexed)
    look_up(rows[I{index.indexed}], [&] { return index.indexed; });
  return I{look_up(row, [&] { return wick::index(rows.push_back(row)); })};
}

Profile::Profile(Profile&&) noexcept = default;
Profile& Profile::operator=(Profile&&) noexcept = default;
Profile::~Profile() = default;

Profile::Profile() {
  modules.push_back({});
  threads.push_back({});
}

ModuleId Profile::module_id(std::string_view path, std::string_view build_id) {
  return find_or_add(modules, module_index_,
                     {strings.intern(path), strings.intern(build_id)});
}

ThreadId Profile::thread_id(const Thread& thread) {
  return find_or_add(threads, thread_index_, thread);
}

EventId Profile::event_id(std::string_view name, std::string_view unit,
                          EventRole role) {
  return find_or_add(events, event_index_,
                     {.name = strings.intern(name),
                      .unit = strings.intern(unit),
                      .role = role});
}

void Profile::set_about(std::string_view key, std::string_view value) {
  if (about.size() >= kMaxAbout) return;
  const About row{strings.intern(key), strings.intern(value)};
  if (std::ranges::find(about, row) == about.end()) about.push_back(row);
}

void SampleCollector::add(const Sample& sample, std::uint32_t count) {
  if (sample.weight < 0) {
    profile_.diagnostics.note(Problem::kNegativeWeight);
    return;
  }
  std::vector<Sample>& samples = profile_.samples;
  std::vector<std::uint32_t>& counts = profile_.sample_counts;
  if (keep_time_) {
    if (count > 1) {
      counts.resize(samples.size(), 1);
      counts.push_back(count);
    }
    samples.push_back(sample);
    return;
  }
  const std::uint64_t hash =
      hash_pair(index(sample.stack) | std::uint64_t{index(sample.event)} << 32,
                index(sample.thread));
  bool found = true;
  const std::uint32_t row = index_.find_or_add(
      hash,
      [&](std::uint32_t i) {
        const Sample& s = samples[i];
        return s.stack == sample.stack && s.thread == sample.thread &&
               s.event == sample.event;
      },
      [&] {
        found = false;
        samples.push_back(sample);
        samples.back().time = 0;
        samples.back().cpu = Sample::kNoCpu;
        return static_cast<std::uint32_t>(samples.size() - 1);
      });
  if (!found) {
    counts.resize(samples.size(), 1);
    counts[row] = count;
    return;
  }
  counts[row] += std::min(count, UINT32_MAX - counts[row]);
  std::int64_t& weight = samples[row].weight;
  if (weight > INT64_MAX - sample.weight)
    profile_.diagnostics.note(Problem::kOverflow);
  weight = saturating_add(weight, sample.weight);
}

void raise_decimals(Profile& profile, EventId id, int decimals) {
  if (profile.events[id].decimals >= decimals) return;
  Column<EventId, int> wanted(profile.events.size());
  wanted[id] = decimals;
  raise_decimals(profile, wanted);
}

void raise_decimals(Profile& profile, const Column<EventId, int>& wanted) {
  Column<EventId, std::int64_t> factors;
  bool any = false;
  for (const EventId id : profile.events.ids()) {
    Event& event = profile.events[id];
    const int more = std::max(0, wanted[id] - event.decimals);
    factors.push_back(power_of_ten(more));
    event.decimals = static_cast<std::uint8_t>(event.decimals + more);
    any |= more > 0;
  }
  if (!any) return;
  for (Sample& sample : profile.samples) {
    const std::int64_t factor = factors[sample.event];
    if (factor > 1 && sample.weight > INT64_MAX / factor)
      profile.diagnostics.note(Problem::kOverflow);
    sample.weight = saturating_mul(sample.weight, factor);
  }
}

void mark_cut_stacks(Profile& profile) {
  profile.diagnostics.note(Problem::kCutName, profile.strings.cut_count());
  StackTable& stacks = profile.stacks;
  if (!stacks.any_cut()) return;
  const FrameId mark = profile.named_frame("[truncated]", FrameKind::kLabel);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < profile.samples.size(); ++i) {
    StackId& stack = profile.samples[i].stack;
    if (!stacks.is_cut(stack)) continue;
    count += i < profile.sample_counts.size() ? profile.sample_counts[i] : 1;
    stack = stacks.push(stacks.parent(stack), mark);
  }
  profile.diagnostics.note(Problem::kCutStack, count);
}

void sort_samples(Profile& profile) {
  if (!profile.has_time) return;
  if (!std::ranges::is_sorted(profile.samples, {}, &Sample::time))
    std::ranges::stable_sort(profile.samples, {}, &Sample::time);
}

bool counts_samples(const Profile& profile, const Event& event) {
  const auto is_plain = [&](StringId id) {
    const std::string_view text = profile.strings[id];
    return text.empty() || text == "samples" || text == "count";
  };
  return !profile.has_time && event.decimals == 0 && is_plain(event.name) &&
         is_plain(event.unit);
}

std::uint64_t samples_in_row(const Profile& profile, std::size_t row) {
  const Sample& sample = profile.samples[row];
  if (counts_samples(profile, profile.events[sample.event]))
    return static_cast<std::uint64_t>(sample.weight);
  return row < profile.sample_counts.size() ? profile.sample_counts[row] : 1;
}

std::int64_t total_weight(const Profile& profile, EventId event) {
  std::int64_t total = 0;
  for (const Sample& sample : profile.samples)
    if (sample.event == event) total = saturating_add(total, sample.weight);
  return total;
}

std::string check(const Profile& p) {
  const auto bad = [](auto what, std::size_t row) {
    return fmt::format("{} {} refers to a row that does not exist", what, row);
  };
  if (p.strings.size() == 0 || !p.strings[StringId::kEmpty].empty())
    return "the first string is not empty";
  if (p.modules.empty() || p.threads.empty())
    return "the row for the unknown module or thread is missing";
  for (const FrameId id : p.frames.ids()) {
    const Frame& f = p.frames[id];
    if (!p.strings.contains(f.function) || !p.strings.contains(f.file) ||
        !p.modules.contains(f.module))
      return bad("frame", index(id));
  }
  for (const StackId id : p.stacks.ids()) {
    if (id == StackId::kRoot) continue;
    if (p.stacks.parent(id) >= id)
      return fmt::format("stack {} comes before its caller", index(id));
    if (!p.frames.contains(p.stacks.frame(id))) return bad("stack", index(id));
  }
  for (const ThreadId id : p.threads.ids())
    if (!p.strings.contains(p.threads[id].comm))
      return bad("thread", index(id));
  for (const EventId id : p.events.ids())
    if (!p.strings.contains(p.events[id].name) ||
        !p.strings.contains(p.events[id].unit))
      return bad("event", index(id));
  if (p.sample_counts.size() > (p.has_time ? 0 : p.samples.size()))
    return "there are more sample counts than samples";
  std::uint64_t time = 0;
  for (std::size_t i = 0; i < p.samples.size(); ++i) {
    const Sample& s = p.samples[i];
    if (!p.stacks.contains(s.stack) || !p.threads.contains(s.thread) ||
        !p.events.contains(s.event))
      return bad("sample", i);
    if (s.weight < 0) return fmt::format("sample {} has a negative weight", i);
    if (p.has_time && s.time < time)
      return fmt::format("sample {} is earlier than the one before it", i);
    time = s.time;
  }
  return "";
}

bool is_difference(const Profile& profile) {
  return std::ranges::any_of(profile.events, [](const Event& event) {
    return event.role != EventRole::kPlain;
  });
}

std::optional<EventId> clock_of_trace(const Profile& profile) {
  if (!profile.has_time) return std::nullopt;
  for (const EventId id : profile.events.ids())
    if (profile.events[id].time == TimeKind::kTraceClock) return id;
  return std::nullopt;
}

void guess_event_times(Profile& profile) {
  bool has_off_cpu = false;
  for (Event& event : profile.events) {
    if (event.time != TimeKind::kNone) continue;
    const std::string_view name = profile.strings[event.name];
    if (name == kOffCpuEventName) event.time = TimeKind::kOffCpu;
    if (name == kWallEventName) event.time = TimeKind::kWall;
    has_off_cpu |= event.time != TimeKind::kNone;
  }
  // The first of the others is what samples threads while they run.
  const auto other =
      std::ranges::find(profile.events, TimeKind::kNone, &Event::time);
  if (has_off_cpu && other != profile.events.end())
    other->time = TimeKind::kOnCpu;
}

void forget_times(Profile& profile) {
  profile.has_time = false;
  for (Sample& sample : profile.samples) sample.time = 0;
}

std::int64_t nanoseconds_in(std::string_view unit) {
  if (unit == "nanoseconds") return 1;
  if (unit == "microseconds") return 1'000;
  if (unit == "milliseconds") return 1'000'000;
  if (unit == "seconds") return 1'000'000'000;
  return 0;
}

}  // namespace wick

// SPDX-License-Identifier: Apache-2.0
#include "transform/merge.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/metrics.h"
#include "base/text.h"

namespace wick {
namespace {

// Maps the strings of one profile to their ids in another, on demand.
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
  // None for a stack that was added later.
  std::span<const StackId> of(StackId id) const {
    if (index(id) + std::size_t{1} >= first_.size()) return {};
    const std::uint32_t from = first_[index(id)];
    return std::span(ids_).subspan(from, first_[index(id) + 1] - from);
  }

 private:
  std::vector<std::uint32_t> first_;
  std::vector<StackId> ids_;
};

// Adds the stacks of `other`, whose frames became `frame`, and returns their
// new ids. Walks both tables once, caller by caller: looking up millions of
// stacks by hash costs three times as much.
Column<StackId, StackId> merge_stack_tables(
    StackTable& into, const StackTable& other,
    const Column<FrameId, FrameId>& frame, std::size_t frame_count) {
  Column<StackId, StackId> moved(other.size());
  // For a small table, hashing is cheaper than walking the large one.
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

// Gives equal events equal decimals in both profiles, so that weights can be
// added. Returns the factor for the weights of `other`.
Column<EventId, std::int64_t> merge_events(Profile& into, const Profile& other,
                                           Column<EventId, EventId>& event) {
  for (const Event& e : other.events) {
    const EventId id =
        into.event_id(other.strings[e.name], other.strings[e.unit], e.role);
    if (into.events[id].time == TimeKind::kNone) into.events[id].time = e.time;
    event.push_back(id);
  }
  Column<EventId, int> decimals(into.events.size());
  for (const EventId id : other.events.ids())
    decimals[event[id]] =
        std::max<int>(decimals[event[id]], other.events[id].decimals);
  raise_decimals(into, decimals);
  Column<EventId, std::int64_t> factor;
  for (const EventId id : other.events.ids())
    factor.push_back(power_of_ten(into.events[event[id]].decimals -
                                  other.events[id].decimals));
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
  into.diagnostics.merge_input(other.diagnostics);
  into.is_trace |= other.is_trace;
  into.has_loose_event_names |= other.has_loose_event_names;
  into.input_bytes += other.input_bytes;
  into.has_time = other.has_time && (into.has_time || !had_samples);
  if (!into.has_time) forget_times(into);
  sort_samples(into);
}

}  // namespace wick
